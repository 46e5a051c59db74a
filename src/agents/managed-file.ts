// The kinds of files that C-Mem changes for an agent.
import { AppError } from "../core/error.ts";
import { asObject } from "../core/json.ts";
import { addToLists, editJson, isEmptyJson, parseJsonFile, removeFromLists, removeJson } from "./json-file.ts";
import { isOurServer, type ManagedFile, SERVER } from "./setup.ts";

/** C-Mem's part of a JSON file: its hooks or its MCP server. */
export interface JsonPart {
  about: string;
  /** The key that holds the part. Its value must be an object. */
  under: string;
  add(text: string, path: string): string;
  remove(text: string, path: string): string;
}

/** `version` is added for an agent that ignores a file without one. */
export function jsonFile(path: string, parts: readonly JsonPart[], version?: number): ManagedFile {
  return {
    path,
    about: parts.map((part) => part.about).join(" and "),
    add(text = "") {
      const known = parseJsonFile(
        text,
        path,
        parts.map(({ under }) => under),
      );
      const versioned = known["version"] === undefined && version !== undefined;
      const start = versioned ? editJson(text, ["version"], version) : text;
      return parts.reduce((result, part) => part.add(result, path), start);
    },
    remove(text) {
      const left = parts.reduce((result, part) => part.remove(result, path), text);
      const others = version === undefined ? left : left.replace(/"version"\s*:\s*1\s*,?/, "");
      return isEmptyJson(others) ? undefined : left;
    },
  };
}

/** A hook of an agent: its event, C-Mem's hook command, the timeout in the agent's unit, the tools it runs for. */
export type HookRow = [event: string, command: string, timeout: number, matcher?: string];

export function hooksPart(
  rows: readonly HookRow[],
  isOurs: (entry: unknown) => boolean,
  entryOf: (command: string, timeout: number) => object,
): JsonPart {
  const entries = rows.map(([event, command, timeout, matcher]) => {
    return [event, { ...(matcher !== undefined && { matcher }), ...entryOf(command, timeout) }] as const;
  });
  return {
    about: "add c-mem's hooks",
    under: "hooks",
    add: (text) => addToLists(text, "hooks", entries, isOurs),
    remove: (text) => removeFromLists(text, "hooks", isOurs),
  };
}

/** `add` throws if the file has a server of that name that is not C-Mem's. */
export function serverPart(under: string, entry: object): JsonPart {
  const serverIn = (text: string, path: string, objects: string[]) =>
    asObject(parseJsonFile(text, path, objects)[under])?.[SERVER];
  return {
    about: "register the memory tools (the MCP server c-mem)",
    under,
    add(text, path) {
      const known = serverIn(text, path, [under]);
      if (known === undefined || isOurServer(known)) return editJson(text, [under, SERVER], entry);
      throw new AppError(
        "server_taken",
        `${path} has an MCP server ${SERVER} that is not C-Mem's; nothing was changed.`,
        { hint: "Rename or remove it, then run the command again." },
      );
    },
    remove: (text, path) => (isOurServer(serverIn(text, path, [])) ? removeJson(text, [under, SERVER]) : text),
  };
}

/** A file written only by C-Mem. Another program's file of that name is never overwritten. */
export function ownFile(path: string, about: string, content: string, isOurs: (text: string) => boolean): ManagedFile {
  return {
    path,
    about,
    add(text) {
      if (text === undefined || isOurs(text)) return content;
      throw new AppError("file_taken", `${path} exists and is not C-Mem's; nothing was changed.`, {
        hint: "Move it away, then run the command again.",
      });
    },
    remove: (text) => (isOurs(text) ? undefined : text),
  };
}
