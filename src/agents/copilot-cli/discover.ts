// Finds the sessions of Copilot CLI on this machine.
import { basename, dirname, join } from "node:path";
import { listFolder } from "../../platform/read-file.ts";
import { describeFile, type Env, homeOf, newestFirst } from "../agent-files.ts";
import type { TranscriptFile } from "../transcript.ts";

export function copilotHome(env: Env): string {
  return env["COPILOT_HOME"] || join(homeOf(env), ".copilot");
}

/** Finds `session-state/<session>/events.jsonl`, in some versions `session-state/<session>.jsonl`. */
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

/** Finds the JSON files of the first versions: `history-session-state/session_<session>_<started at>.json`. */
export function findCopilotHistory(env: Env, folders = [join(copilotHome(env), "history-session-state")]) {
  const files = folders.flatMap((folder) =>
    listFolder(folder).flatMap((name) => sessionFile(join(folder, name), /^(?:session_)?(.+?)(?:_\d+)?\.json$/)),
  );
  return newestFirst(files);
}

/** The transcript at this path, if it is one. The name of its folder is the session's id. */
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
