// What one agent's hooks say and want to hear. Claude Code's are part of the hook program; the others' are loaded when asked for.
import type { Activity, AgentEvent } from "../core/event.ts";

export interface HookCall {
  command: string;
  payload: unknown;
  /** Asked only where the payload does not say. */
  cwd: () => string;
  /** The last part of a file that only grows. */
  readEnd: (path: string) => string | undefined;
  at: number;
  env: Readonly<Record<string, string | undefined>>;
}

/** What memory has to say: to the model, to the person. */
export interface HookWords {
  text?: string;
  message?: string;
}

export interface HookWire {
  /** Undefined when there is nothing in the payload for us. */
  event(call: HookCall): AgentEvent | undefined;
  /** What is printed when memory has something to say, or nothing (`{}`). Undefined: nothing is printed at all. */
  answer(command: string, activity: Activity | undefined, words: HookWords): object | undefined;
  /** Its hooks say less of a tool use than its transcript: that one tells what happened, hooks only ask memory. */
  toolsFromTranscript?: true;
  /** The file by which memory reaches the agent where no hook can tell it, inside the working tree. */
  rulesFile?: string;
}
