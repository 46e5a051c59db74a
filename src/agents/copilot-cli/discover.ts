// Finds the sessions of Copilot CLI on this machine.
import { basename, dirname, join } from "node:path";
import { listFolder } from "../../platform/read-file.ts";
import { describeFile, type Env, homeOf, newestFirst } from "../agent-files.ts";
import type { TranscriptFile } from "../transcript.ts";

export function copilotHome(env: Env): string {
  return env["COPILOT_HOME"] || join(homeOf(env), ".copilot");
}

/** `session-state/<session>/events.jsonl`; for a while it was `session-state/<session>.jsonl`, with the same lines. */
export function findCopilotTranscripts(env: Env, folders = [join(copilotHome(env), "session-state")]) {
  const files = folders.flatMap((folder) =>
    listFolder(folder).flatMap((name) =>
      name.endsWith(".jsonl")
        ? sessionFile(join(folder, name), /^(.+)\.jsonl$/)
        : copilotTranscript(join(folder, name, "events.jsonl")),
    ),
  );
  return newestFirst(files);
}

/** The first versions: one JSON file per session, `history-session-state/session_<session>_<started at>.json`. */
export function findCopilotHistory(env: Env, folders = [join(copilotHome(env), "history-session-state")]) {
  const files = folders.flatMap((folder) =>
    listFolder(folder).flatMap((name) => sessionFile(join(folder, name), /^(?:session_)?(.+?)(?:_\d+)?\.json$/)),
  );
  return newestFirst(files);
}

/** The transcript at this path, if it is one; its folder is named by the session's id. */
export function copilotTranscript(path: string): TranscriptFile[] {
  return basename(path) === "events.jsonl" ? describe(path, basename(dirname(path))) : [];
}

/** The first group of the pattern is the session's id. */
function sessionFile(path: string, name: RegExp): TranscriptFile[] {
  const id = name.exec(basename(path))?.[1];
  return id === undefined ? [] : describe(path, id);
}

function describe(path: string, sessionId: string): TranscriptFile[] {
  return describeFile(path, { agent: "copilot-cli", sessionId, isSubagent: false });
}
