// The requests of hooks to the context bundles, and their answers. Most hooks never load these bundles.
import type { Place } from "../capture/project.ts";
import type { Paths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import type { CapturedEvent, Injection } from "../core/event.ts";
import { shortHash } from "../core/hash.ts";

export interface InjectRequest {
  event: CapturedEvent;
  place: Place;
  settings: Settings;
  paths: Paths;
}

export interface InjectAnswer {
  /** For the model. */
  text?: string;
  /** For the user. */
  message?: string;
  injection?: Injection;
  /** Lines for the file of shown items. */
  keys: string[];
}

export interface ContextBundle {
  inject(request: InjectRequest): InjectAnswer | undefined;
}

/** A subagent has not seen what its parent was shown. */
export function readerId({ agentId, sessionId }: CapturedEvent): string {
  return agentId === undefined ? sessionId : `agent-${agentId}`;
}

/** Held out for comparison: always the same sessions, on every surface. */
export function isHeldOut({ event, settings }: InjectRequest): boolean {
  return settings.holdout > 0 && parseInt(shortHash(event.sessionId).slice(-6), 36) % 100 < settings.holdout;
}
