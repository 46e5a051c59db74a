// Our MCP server among those in an agent's JSON settings.
import { AppError } from "../core/error.ts";
import { editJson, parseJsonFile, removeJson } from "./json-file.ts";
import { isOurServer } from "./setup.ts";
import { asArray, asObject } from "../core/json.ts";

export const SERVER = "c-mem";

export interface ServerPlace {
  path: string;
  /** The object with the servers in it. */
  under: string;
  hint: string;
}

/** Refuses where somebody has a server of their own by our name: it would be theirs no more. */
export function addServer(text: string, { path, under, hint }: ServerPlace, entry: object): string {
  const settings = parseJsonFile(text, path, { objects: [under], hint });
  const known = asObject(settings[under])?.[SERVER];
  if (known !== undefined && !isOurs(known)) {
    throw new AppError(
      "server_taken",
      `${path} has an MCP server ${SERVER} that is not C-Mem's; nothing was changed.`,
      {
        hint: "Give it another name or take it out, then run the command again.",
      },
    );
  }
  return editJson(text, [under, SERVER], entry);
}

export function removeServer(text: string, { path, under, hint }: ServerPlace): string {
  const known = asObject(parseJsonFile(text, path, { objects: [], hint })[under])?.[SERVER];
  return isOurs(known) ? removeJson(text, [under, SERVER]) : text;
}

/** The bundle is the first argument, or the second word of a command that is a list. */
function isOurs(entry: unknown): boolean {
  const server = asObject(entry);
  return [...asArray(server?.["args"]), ...asArray(server?.["command"])].some(isOurServer);
}
