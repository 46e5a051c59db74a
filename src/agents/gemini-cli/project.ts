// Finds the folder that a Gemini CLI chat worked in; the chat itself does not name it.
import { dirname, join } from "node:path";
import { asObject, asObjects, asString, type JsonObject, parseJson } from "../../core/json.ts";
import { readWhole } from "../agent-files.ts";

/**
 * Newer versions keep the folder's path beside the chats. Older ones keep its hash: it is compared with the folders Gemini
 * has registered, and with those of the files in tool calls. Falls back to the folder of the chats.
 */
export function projectFolder(
  chatsProject: string,
  projectHash: string | undefined,
  messages: readonly JsonObject[],
): string {
  const path = readWhole(join(chatsProject, ".project_root"))?.trim();
  if (path) return path;
  const registry = asObject(parseJson(readWhole(join(dirname(dirname(chatsProject)), "projects.json"))));
  const registered = Object.keys(asObject(registry?.["projects"]) ?? {});
  const { createHash } = process.getBuiltinModule("node:crypto");
  const hasHash = (folder: string) => createHash("sha256").update(folder).digest("hex") === projectHash;
  return registered.find(hasHash) ?? foldersOfFiles(messages).find(hasHash) ?? chatsProject;
}

/** More paths need not be tried: they are in the same few folders. */
const MAX_PATHS = 200;

/** The files in tool calls and the folders above them. */
function foldersOfFiles(messages: readonly JsonObject[]): string[] {
  const folders = new Set<string>();
  const values = messages
    .flatMap((message) => asObjects(message["toolCalls"]))
    .flatMap((call) => Object.values(asObject(call["args"]) ?? {}))
    .flatMap((value) => asString(value) ?? []);
  const paths = values.filter((value) => value.length < 4096 && /^(?:\/|[A-Za-z]:[\\/])/.test(value));
  for (const path of paths.slice(0, MAX_PATHS)) {
    for (let folder = path; !folders.has(folder); folder = dirname(folder)) folders.add(folder);
  }
  return [...folders];
}
