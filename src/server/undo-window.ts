// Forgettings that wait a moment, so that they can be taken back: what is forgotten cannot.
import { randomBytes } from "node:crypto";
import type { QueryContext } from "../queries/query.ts";
import type { Answer } from "../queries/envelope.ts";
import { carryOutForget, planForget } from "../queries/forget.ts";
import { AppError } from "../core/error.ts";

export const MAX_HOLD_SECONDS = 60;
/** How many receipts are kept for whoever asks what became of it. */
const KEPT = 50;

export interface Wish {
  ids: readonly string[];
  evidence?: boolean | undefined;
}

export interface Holds {
  carryOut(wish: Wish): Answer;
  /** Returns the token that takes it back. */
  hold(wish: Wish, seconds: number): string;
  stateOf(token: string): Answer;
  cancel(token: string): Answer;
  /** The worker leaves: what somebody has asked for is done, not dropped. */
  finish(): void;
}

interface Held {
  wish: Wish;
  timer: NodeJS.Timeout;
  state: "held" | "done" | "failed";
  receipt?: unknown;
}

export interface HoldContext {
  use<T>(work: (context: QueryContext) => T): T;
  tell(event: string, data: object): void;
  log(message: string): void;
}

export function createHolds({ use, tell, log }: HoldContext): Holds {
  const held = new Map<string, Held>();
  const carryOut = ({ ids, evidence = false }: Wish): Answer => {
    const answer = use((context) => carryOutForget(context, planForget(context, ids, { evidence })));
    tell("forgotten", { ids });
    return { data: answer.data };
  };
  const end = (one: Held): void => {
    clearTimeout(one.timer);
    if (one.state !== "held") return;
    try {
      one.receipt = carryOut(one.wish).data;
      one.state = "done";
    } catch (error) {
      one.state = "failed";
      log(`could not forget ${one.wish.ids.join(", ")}: ${(error as Error).message}`);
    }
  };
  const find = (token: string): Held => {
    const one = held.get(token);
    if (one !== undefined) return one;
    throw new AppError("nothing_found", "Nothing is held under this token.");
  };
  return {
    carryOut,
    hold(wish, seconds) {
      for (const [old, one] of [...held].slice(0, Math.max(0, held.size - KEPT))) {
        end(one);
        held.delete(old);
      }
      const token = randomBytes(16).toString("hex");
      const one: Held = { wish, state: "held", timer: setTimeout(() => end(one), seconds * 1000) };
      held.set(token, one);
      return token;
    },
    stateOf(token) {
      const { state, receipt } = find(token);
      return { data: { state, receipt: receipt ?? null } };
    },
    cancel(token) {
      const one = find(token);
      if (one.state !== "held")
        throw new AppError("too_late", "It is forgotten already; there is nothing left to bring back.");
      clearTimeout(one.timer);
      held.delete(token);
      return { data: { cancelled: true } };
    },
    finish() {
      for (const one of held.values()) end(one);
    },
  };
}
