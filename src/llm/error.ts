// Errors of model requests, grouped by what the caller does about them.
import { AppError } from "../core/error.ts";
import type { Usage } from "./provider.ts";

export type LlmErrorKind =
  /** The key is missing, wrong or out of money. */
  | "auth"
  /** No such model, address or program. */
  | "not-found"
  | "rate-limit"
  /** Not reachable, or the connection broke. */
  | "network"
  | "timeout"
  /** 5xx, overloaded. */
  | "server"
  /** Cancelled by us. */
  | "aborted"
  /** Not a reply of the protocol: a proxy's page, a wrong address. */
  | "malformed"
  /** The rest concern this one request: a retry would only cost again. */
  | "refusal"
  | "truncated"
  | "too-large"
  | "rejected";

/** What the failed request cost: the server's count, certainly nothing, or unknown. */
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
    this.retryAfterMs = options.retryAfterMs && Math.min(options.retryAfterMs, MAX_RETRY_AFTER_MS);
    this.spent = options.spent ?? "nothing";
  }
}

const RATE_LIMIT_MS = 60_000;
const FIRST_PAUSE_MS = 30_000;
const MAX_PAUSE_MS = 15 * 60_000;
/** Servers may send longer waits; one request a day is harmless. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/** What to do after a failure. */
export type Next =
  /** No requests to this provider for `afterMs`. `counts`: this very request may be the cause, so it is a failed attempt. */
  | { kind: "pause"; afterMs: number; counts: boolean }
  /** No requests until the settings or the key change, or `c-mem worker retry`. */
  | { kind: "stop" }
  /** The worker is stopping; the next worker retries. */
  | { kind: "again" }
  /** Keep the extractor's version. */
  | { kind: "give-up" };

/** `pausesBefore`: pauses since the last answer. */
export function nextAfter({ kind, retryAfterMs, spent }: LlmError, pausesBefore: number): Next {
  const backOffMs = Math.min(FIRST_PAUSE_MS * 2 ** pausesBefore, MAX_PAUSE_MS);
  switch (kind) {
    case "auth":
    case "not-found":
      return { kind: "stop" };
    case "rate-limit":
      return { kind: "pause", afterMs: retryAfterMs ?? Math.max(RATE_LIMIT_MS, backOffMs), counts: false };
    case "network":
      return { kind: "pause", afterMs: backOffMs, counts: spent !== "nothing" };
    case "timeout":
    case "server":
    case "malformed":
      return { kind: "pause", afterMs: retryAfterMs ?? backOffMs, counts: true };
    case "aborted":
      return { kind: "again" };
    default:
      return { kind: "give-up" };
  }
}
