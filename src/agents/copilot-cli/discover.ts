// Finds the sessions Copilot CLI has left on this machine.
import { basename, dirname, join } from "node:path";
import { describeFile, type Env, homeOf, listFolder, newestFirst } from "../agent-files.ts";
import type { TranscriptFile } from "../transcript.ts";

/** `session-state/<session>/events.jsonl`; for a while it was `session-state/<session>.jsonl`, with the same lines. */
export function findCopilotTranscripts(
  env: Env,
  folders = [join(copilotHome(env), "session-state")],
): TranscriptFile[] {
  const files = folders.flatMap((folder) =>
    listFolder(folder).flatMap((entry) => {
      if (entry.isDirectory()) return copilotTranscript(join(folder, entry.name, "events.jsonl"));
      const id = /^(.+)\.jsonl$/.exec(entry.name)?.[1];
      return id === undefined ? [] : describeFile(join(folder, entry.name), about(id));
    }),
  );
  return newestFirst(files);
}

/** Zero or one, by its path: the folder is named after the session. */
export function copilotTranscript(path: string): TranscriptFile[] {
  return basename(path) === "events.jsonl" ? describeFile(path, about(basename(dirname(path)))) : [];
}

/** Before that each session was one JSON file: `history-session-state/session_<session>_<started at>.json`. */
export function findCopilotHistory(
  env: Env,
  folders = [join(copilotHome(env), "history-session-state")],
): TranscriptFile[] {
  const files = folders.flatMap((folder) =>
    listFolder(folder).flatMap((entry) => {
      const id = /^(?:session_)?(.+?)(?:_\d+)?\.json$/.exec(entry.name)?.[1];
      return id === undefined ? [] : describeFile(join(folder, entry.name), about(id));
    }),
  );
  return newestFirst(files);
}

export function copilotTranscriptPath(env: Env, sessionId: string): string {
  return join(copilotHome(env), "session-state", sessionId, "events.jsonl");
}

export function copilotHome(env: Env): string {
  return env["COPILOT_HOME"] || join(homeOf(env), ".copilot");
}

function about(sessionId: string) {
  return { agent: "copilot-cli", sessionId, isSubagent: false };
}
