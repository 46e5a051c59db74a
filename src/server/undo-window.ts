// Delays a forget for up to a minute, in which it can be cancelled.
import { randomBytes } from "node:crypto";
import type { QueryContext } from "../queries/query.ts";
import type { Answer } from "../queries/envelope.ts";
import { carryOutForget, planForget } from "../queries/forget.ts";
import { AppError, nothingFound } from "../core/error.ts";

export const MAX_HOLD_SECONDS = 60;
/** Beyond this many, the oldest requests are removed with their receipts; pending ones are carried out first. */
const MAX_RECEIPTS = 50;

interface ForgetRequest {
  ids: readonly string[];
  evidence?: boolean | undefined;
}

export type UndoWindow = ReturnType<typeof createUndoWindow>;

interface Pending {
  request: ForgetRequest;
  timer: NodeJS.Timeout;
  state: "held" | "done" | "failed";
  receipt?: unknown;
}

interface UndoWindowContext {
  use<T>(work: (context: QueryContext) => T): T;
  broadcast(event: string, data: object): void;
  log(message: string): void;
}

export function createUndoWindow({ use, broadcast, log }: UndoWindowContext) {
  const pending = new Map<string, Pending>();
  const carryOut = ({ ids, evidence = false }: ForgetRequest): Answer => {
    const answer = use((context) => carryOutForget(context, planForget(context, ids, { evidence })));
    broadcast("forgotten", { ids });
    return { data: answer.data };
  };
  const end = (one: Pending): void => {
    clearTimeout(one.timer);
    if (one.state !== "held") return;
    try {
      one.receipt = carryOut(one.request).data;
      one.state = "done";
    } catch (error) {
      one.state = "failed";
      log(`could not forget ${one.request.ids.join(", ")}: ${(error as Error).message}`);
    }
  };
  const find = (token: string): Pending => {
    const one = pending.get(token);
    if (one !== undefined) return one;
    throw nothingFound("No pending forget has this token.");
  };
  return {
    carryOut,
    /** Returns the token that cancels the request. */
    hold(request: ForgetRequest, seconds: number): string {
      for (const [old, one] of [...pending].slice(0, Math.max(0, pending.size - MAX_RECEIPTS))) {
        end(one);
        pending.delete(old);
      }
      const token = randomBytes(16).toString("hex");
      const one: Pending = { request, state: "held", timer: setTimeout(() => end(one), seconds * 1000) };
      pending.set(token, one);
      return token;
    },
    stateOf(token: string): Answer {
      const { state, receipt } = find(token);
      return { data: { state, receipt: receipt ?? null } };
    },
    cancel(token: string): Answer {
      const one = find(token);
      if (one.state !== "held") throw new AppError("too_late", "It is already forgotten and cannot be restored.");
      clearTimeout(one.timer);
      pending.delete(token);
      return { data: { cancelled: true } };
    },
    /** Carries out every pending forget. Called when the worker stops. */
    finish(): void {
      for (const one of pending.values()) end(one);
    },
  };
}
