// Questions that look at every row take seconds in a large store, and a server that counts answers nobody else meanwhile: they are
// answered in a process of its own, one at a time for each, and what came out is kept until something has changed.
import { spawn } from "node:child_process";
import type { Answer, ErrorJson, Json } from "../queries/envelope.ts";
import type { Paths } from "../config/paths.ts";
import { statOf } from "../platform/read-file.ts";
import { AppError } from "../core/error.ts";
import type { Db } from "../store/db/driver.ts";
import { writeVersion } from "../store/db/query-cache.ts";
import type { Route } from "./route.ts";

export interface Aside {
  /** Undefined: the store is small, it is quicker to answer at once. */
  ask(db: Db, route: AsideRoute, query: Json): Promise<Answer> | undefined;
  close(): void;
}

type AsideRoute = Pick<Route, "path" | "looksElsewhere">;

/** What such a process is told, and what it says. */
export interface AsideQuestion {
  path: string;
  query: Json;
}
export type AsideReply = Answer | Pick<ErrorJson, "error">;

/** Below this a count takes less than a process's start. */
const LARGE_BYTES = 100 * 1024 * 1024;
/** While agents are at work the store changes all the time: an answer stays good for so many times as long as it took. */
const KEPT_FACTOR = 10;
/** "The last seven days" is another span tomorrow. */
const KEPT_MS = 10 * 60_000;
const KEPT_ANSWERS = 20;
/** Whoever asks for longer has gone. */
const MAX_MS = 120_000;

interface Kept {
  reply: Promise<Answer>;
  /** Undefined while it is being answered. */
  done?: { at: number; tookMs: number };
  /** Of the store; undefined where it does not say whether the answer is still good. */
  version: string | undefined;
}

export function createAside(paths: Paths): Aside {
  const kept = new Map<string, Kept>();
  const ending = new AbortController();
  return {
    ask(db, { path, looksElsewhere = false }, query) {
      if ((statOf(paths.database)?.size ?? 0) < LARGE_BYTES) return undefined;
      const key = JSON.stringify([path, query]);
      const version = looksElsewhere ? undefined : writeVersion(db);
      const known = kept.get(key);
      if (known !== undefined && isGood(known, version)) return known.reply;
      const begun = performance.now();
      const entry: Kept = { reply: answerAside(paths, { path, query }, ending.signal), version };
      kept.delete(key);
      kept.set(key, entry);
      for (const old of [...kept.keys()].slice(0, -KEPT_ANSWERS)) kept.delete(old);
      entry.reply.then(
        () => (entry.done = { at: performance.now(), tookMs: performance.now() - begun }),
        () => kept.delete(key),
      );
      return entry.reply;
    },
    close: () => ending.abort(),
  };
}

function isGood({ done, version }: Kept, now: string | undefined): boolean {
  if (done === undefined) return true;
  const age = performance.now() - done.at;
  return age < KEPT_MS && ((version !== undefined && version === now) || age < done.tookMs * KEPT_FACTOR);
}

function answerAside(paths: Paths, question: AsideQuestion, signal: AbortSignal): Promise<Answer> {
  const args = [process.argv[1] ?? "", "--answer", JSON.stringify(question)];
  const child = spawn(process.execPath, args, {
    cwd: paths.home,
    stdio: ["ignore", "pipe", "ignore"],
    windowsHide: true,
    signal,
    timeout: MAX_MS,
    killSignal: "SIGKILL",
  });
  return new Promise((done, fail) => {
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("error", fail);
    child.on("close", (code) => {
      if (code !== 0) return fail(new Error(`${question.path}: its process ended with ${code}`));
      try {
        return done(answerOf(JSON.parse(Buffer.concat(chunks).toString()) as AsideReply));
      } catch (error) {
        return fail(error);
      }
    });
  });
}

function answerOf(reply: AsideReply): Answer {
  if (!("error" in reply)) return reply;
  const { code, message, hint = "" } = reply.error;
  throw code === "internal" ? new Error(message) : new AppError(code, message, { hint });
}
