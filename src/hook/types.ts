// What a hook passes to the bundles that find context, and what they return.
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
  /** Lines to add to the list of shown items. */
  keys: string[];
}

/** context.cjs */
export interface StartBundle {
  contextForStart(request: InjectRequest): InjectAnswer | undefined;
}

/** recall.cjs */
export interface LookupBundle {
  contextForEvent(request: InjectRequest): InjectAnswer | undefined;
}

/** The name of a list of shown items. A subagent has its own list: it has not seen what the main agent was shown. */
export function contextOwner({ agentId, sessionId }: CapturedEvent): string {
  return agentId === undefined ? sessionId : `agent-${agentId}`;
}

/** True if the session gets no context, for comparison (setting `holdout`). All its hooks agree. */
export function isHeldOut({ event, settings }: InjectRequest): boolean {
  return settings.holdout > 0 && parseInt(shortHash(event.sessionId).slice(-6), 36) % 100 < settings.holdout;
}
