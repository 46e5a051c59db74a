// What the reading half of the hooks is asked, and what it answers. It is built apart: most hooks never load it.
import type { Place } from "../capture/project.ts";
import type { Paths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import type { CapturedEvent, Injection } from "../core/event.ts";
import { shortHash } from "../core/hash.ts";

export interface TellInput {
  event: CapturedEvent;
  place: Place;
  settings: Settings;
  paths: Paths;
}

export interface TellAnswer {
  /** What goes to the model. */
  text?: string;
  /** What goes to the person. */
  message?: string;
  injection?: Injection;
  /** Lines for the file of what was shown. */
  keys: string[];
}

export interface ReadingHalf {
  tell(input: TellInput): TellAnswer | undefined;
}

/** A subagent has not seen what its parent was shown. */
export function readerOf({ agentId, sessionId }: CapturedEvent): string {
  return agentId === undefined ? sessionId : `agent-${agentId}`;
}

/** The same session is in or out for good, on every surface. */
export function isHeldOut({ event, settings }: TellInput): boolean {
  return settings.holdout > 0 && parseInt(shortHash(event.sessionId).slice(-6), 36) % 100 < settings.holdout;
}
