// Hook payloads: those recorded from Claude Code, with another session and folder.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../measure.ts";
import type { Place } from "./place.ts";

const FOLDER = join(ROOT, "test", "fixtures", "hook-payloads");
const FILES = {
  SessionStart: "SessionStart.json",
  UserPromptSubmit: "UserPromptSubmit.json",
  PostToolUse: join("tools", "PostToolUse.Bash.json"),
  Stop: "Stop.json",
  SessionEnd: "SessionEnd.json",
};

export type HookEvent = keyof typeof FILES;

export interface Payload {
  hook_event_name: HookEvent;
  tool_name?: string;
  source?: string;
  [field: string]: unknown;
}

let uses = 0;

export function payloadOf(event: HookEvent, place: Place, session: string, fields: object = {}): Payload {
  const recorded = JSON.parse(readFileSync(join(FOLDER, FILES[event]), "utf8")) as Payload;
  return {
    ...recorded,
    session_id: session,
    transcript_path: join(place.home, ".claude", "projects", "-work-app", `${session}.jsonl`),
    cwd: place.project,
    ...(event === "SessionStart" ? { source: "startup" } : {}),
    ...(event === "PostToolUse" ? { tool_use_id: `toolu_bench_${uses++}` } : {}),
    ...fields,
  };
}

export function bashUse(place: Place, session: string, command: string, stdout: string): Payload {
  const fields = {
    tool_input: { command, description: "Run a command" },
    tool_response: { stdout, stderr: "", interrupted: false, isImage: false },
  };
  return payloadOf("PostToolUse", place, session, fields);
}
