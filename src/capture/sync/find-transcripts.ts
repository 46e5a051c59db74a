// Finds the transcripts of all agents or of one, in the folders that `sessionFolders` names or in the agent's own.
import { delimiter } from "node:path";
import { AGENTS } from "../../agents/spec.ts";
import { type Env, userHome } from "../../config/paths.ts";
import type { Settings } from "../../config/schema.ts";
import { admitFile } from "../live/ids.ts";
import type { Transcript } from "./read-transcript.ts";

export function findTranscripts(
  env: Env,
  { sessionFolders }: Pick<Settings, "sessionFolders">,
  options: { agent?: string | undefined } = {},
): Transcript[] {
  return AGENTS.filter(({ id }) => options.agent === undefined || id === options.agent).flatMap(({ id, sources }) => {
    const folders = foldersOf(sessionFolders[id], env);
    return sources.flatMap(({ find, reader }) => find(env, folders).map((file) => ({ file: admitFile(file), reader })));
  });
}

/** "~/a:/b" -> ["/home/me/a", "/b"]; empty -> undefined: the agent's own folders. */
function foldersOf(setting: string | undefined, env: Env): string[] | undefined {
  const folders = (setting ?? "")
    .split(delimiter)
    .map((folder) => folder.trim().replace(/^~(?=[/\\]|$)/, userHome(env)))
    .filter((folder) => folder !== "");
  return folders.length === 0 ? undefined : folders;
}
