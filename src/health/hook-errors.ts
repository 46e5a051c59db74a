// Reads back what the hooks had to say when something went wrong.
import { logEntries } from "./log-entries.ts";

export interface HookError {
  at: string;
  hook: string;
  code: string;
  message: string;
}

const MAX_SHOWN = 100;

export function lastHookErrors(log: string): HookError[] {
  return logEntries<HookError>(log, MAX_SHOWN);
}
