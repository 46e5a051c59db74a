// Finds out where a Gemini CLI chat took place: the chats themselves do not say.
import { dirname, join } from "node:path";
import { readWhole } from "../agent-files.ts";
import { asObject, asString, type Json, type JsonObject, parseJson } from "../../core/json.ts";

/**
 * Newer versions leave the folder's path beside the chats. Older ones only its hash: then it is looked for among the
 * folders Gemini knows and those of the files it worked on. Where all fails the folder of the chats stands in.
 */
export function projectFolder(
  chatsProject: string,
  projectHash: string | undefined,
  messages: readonly JsonObject[],
): string {
  const marker = readWhole(join(chatsProject, ".project_root"))?.trim();
  if (marker) return marker;
  const known = Object.keys(asObject(readProjects(chatsProject)) ?? {});
  return known.find(hasHash(projectHash)) ?? folderOfFiles(projectHash, messages) ?? chatsProject;
}

function readProjects(chatsProject: string): Json | undefined {
  const registry = readWhole(join(dirname(dirname(chatsProject)), "projects.json"));
  return asObject(parseJson(registry))?.["projects"];
}

/** More paths than these need not be tried: they lie in the same few folders. */
const MAX_PATHS = 200;

function folderOfFiles(projectHash: string | undefined, messages: readonly JsonObject[]): string | undefined {
  const tried = new Set<string>();
  const fits = hasHash(projectHash);
  for (const path of toolPaths(messages).slice(0, MAX_PATHS)) {
    for (let folder = path; !tried.has(folder); folder = dirname(folder)) {
      tried.add(folder);
      if (fits(folder)) return folder;
    }
  }
  return undefined;
}

function toolPaths(messages: readonly JsonObject[]): string[] {
  const calls = messages.flatMap((message) => (Array.isArray(message["toolCalls"]) ? message["toolCalls"] : []));
  return calls.flatMap((call) =>
    Object.values(asObject(asObject(call)?.["args"]) ?? {})
      .map(asString)
      .filter((value) => value !== undefined && value.length < 4096 && /^(?:\/|[A-Za-z]:[\\/])/.test(value)),
  ) as string[];
}

function hasHash(projectHash: string | undefined): (folder: string) => boolean {
  return (folder) =>
    process.getBuiltinModule("node:crypto").createHash("sha256").update(folder).digest("hex") === projectHash;
}
