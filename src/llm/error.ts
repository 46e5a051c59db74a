// What can go wrong between us and a model, by what is to be done about it.
import { AppError } from "../core/error.ts";
import type { Usage } from "./provider.ts";

export type LlmErrorKind =
  /** The key is missing, wrong or out of money: nobody asks again until something has changed. */
  | "auth"
  /** No such model, address or program: the same. */
  | "not-found"
  | "rate-limit"
  /** Could not be reached, or the connection broke. */
  | "network"
  | "timeout"
  /** Trouble on the other side: 5xx, overloaded. */
  | "server"
  /** We stopped it ourselves. */
  | "aborted"
  /** An answer that is none of the protocol: a proxy's page, a wrong address. */
  | "malformed"
  /** The rest are about this one question; asking again would only cost again. */
  | "refusal"
  | "truncated"
  | "too-large"
  | "rejected";

/** What the failed question cost: the server's own count, surely nothing, or nobody knows. */
export type Spent = Usage | "nothing" | "unknown";

interface LlmErrorOptions {
  spent?: Spent;
  retryAfterMs?: number | undefined;
  hint?: string;
  cause?: unknown;
}

export class LlmError extends AppError {
  readonly kind: LlmErrorKind;
  readonly retryAfterMs: number | undefined;
  readonly spent: Spent;

  constructor(kind: LlmErrorKind, message: string, options: LlmErrorOptions = {}) {
    super(`model_${kind.replaceAll("-", "_")}`, message, options);
    this.name = "LlmError";
    this.kind = kind;
    this.retryAfterMs = options.retryAfterMs && Math.min(options.retryAfterMs, LONGEST_ASKED_MS);
    this.spent = options.spent ?? "nothing";
  }
}

const RATE_LIMIT_MS = 60_000;
const FIRST_PAUSE_MS = 30_000;
const LONGEST_PAUSE_MS = 15 * 60_000;
/** Whoever says it, and however it is said: once a day is no hammering. */
const LONGEST_ASKED_MS = 24 * 3_600_000;

/** What to do after a failure. */
export type Next =
  /** Nobody asks this provider before `afterMs`. `counts`: this very question may be to blame, so it may not try for ever. */
  | { kind: "pause"; afterMs: number; counts: boolean }
  /** Nobody asks until the settings or the key change, or a person says `c-mem worker retry`. */
  | { kind: "stop" }
  /** The worker is going down: the next one asks. */
  | { kind: "again" }
  /** The extractor's version stands. */
  | { kind: "give-up" };

/** `pausesBefore`: how many pauses came before without an answer in between. */
export function nextAfter(error: LlmError, pausesBefore: number): Next {
  const backOff = Math.min(FIRST_PAUSE_MS * 2 ** pausesBefore, LONGEST_PAUSE_MS);
  switch (error.kind) {
    case "auth":
    case "not-found":
      return { kind: "stop" };
    case "rate-limit":
      return { kind: "pause", afterMs: error.retryAfterMs ?? Math.max(RATE_LIMIT_MS, backOff), counts: false };
    case "network":
      return { kind: "pause", afterMs: backOff, counts: error.spent !== "nothing" };
    case "timeout":
    case "server":
    case "malformed":
      return { kind: "pause", afterMs: error.retryAfterMs ?? backOff, counts: true };
    case "aborted":
      return { kind: "again" };
    case "refusal":
    case "truncated":
    case "too-large":
    case "rejected":
      return { kind: "give-up" };
  }
}
