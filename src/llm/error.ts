// Errors of model requests, grouped by what the caller does about them.
import { AppError } from "../core/error.ts";
import type { Usage } from "./provider.ts";

export type LlmErrorKind =
  /** The key is missing or wrong, or the account has no credit. */
  | "auth"
  /** The model, the URL or the program does not exist. */
  | "not-found"
  | "rate-limit"
  /** The server is not reachable, or the connection broke. */
  | "network"
  | "timeout"
  /** HTTP 5xx: a server error or overload. */
  | "server"
  /** C-Mem cancelled the request. */
  | "aborted"
  /** The reply does not follow the protocol, e.g. a proxy's error page. */
  | "malformed"
  /** This and the following errors concern only this request: a retry would fail again and may cost again. */
  | "refusal"
  | "truncated"
  | "too-large"
  | "rejected";

/** Cost of a failed request: as the server counted, certainly nothing, or unknown. */
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
/** Servers may ask for longer waits, but one request per day is harmless. */
const MAX_RETRY_AFTER_MS = 24 * 3_600_000;

/** What the worker does after a failed request. */
export type FailureAction =
  /** Sends no requests for `afterMs`. `counts`: whether it is a failed attempt, since the request may be the cause. */
  | { kind: "pause"; afterMs: number; counts: boolean }
  /** Sends no requests until the settings or the key change, or the user runs `c-mem worker retry`. */
  | { kind: "stop" }
  /** Leaves the request to the next worker, because this one is stopping. */
  | { kind: "again" }
  /** Keeps the observations of the extractor. */
  | { kind: "give-up" };

/** `pausesBefore`: number of pauses since the last answer. */
export function actionAfterFailure({ kind, retryAfterMs, spent }: LlmError, pausesBefore: number): FailureAction {
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
