// Runs slow queries in another process, because reading every row of a large store blocks for seconds.
// Caches their replies.
import { spawn } from "node:child_process";
import type { Answer, ErrorJson, Json } from "../queries/envelope.ts";
import type { Paths } from "../config/paths.ts";
import { statOf } from "../platform/read-file.ts";
import { AppError } from "../core/error.ts";
import type { Db } from "../store/db/driver.ts";
import { writeVersion } from "../store/db/query-cache.ts";
import type { Route } from "./route.ts";

export type Offload = ReturnType<typeof createOffload>;

type SlowRoute = Pick<Route, "path" | "readsFiles">;

/** The argument of the process. */
export interface OffloadedQuery {
  path: string;
  values: Json;
}
/** The output of the process. */
export type OffloadReply = Answer | Pick<ErrorJson, "error">;

/** In a smaller database, a query takes less time than starting a process. */
const LARGE_BYTES = 100 * 1024 * 1024;
/** While agents work, the store changes all the time: a reply of a query that took 3 s stays valid for 30 s. */
const VALID_FACTOR = 10;
/** "The last seven days" changes with time even if the store does not. */
const MAX_AGE_MS = 10 * 60_000;
const MAX_REPLIES = 20;
const TIMEOUT_MS = 120_000;

interface CachedReply {
  reply: Promise<Answer>;
  /** Undefined while the query runs. */
  done?: { at: number; tookMs: number };
  /** The version of the store; undefined for a query that also reads files. */
  version: string | undefined;
}

export function createOffload(paths: Paths) {
  const replies = new Map<string, CachedReply>();
  const stop = new AbortController();
  return {
    /** Returns undefined for a small store: the caller runs the query itself, which is faster. */
    run(db: Db, { path, readsFiles }: SlowRoute, values: Json): Promise<Answer> | undefined {
      if ((statOf(paths.database)?.size ?? 0) < LARGE_BYTES) return undefined;
      const key = JSON.stringify([path, values]);
      const version = readsFiles ? undefined : writeVersion(db);
      const known = replies.get(key);
      if (known !== undefined && isValid(known, version)) return known.reply;
      const startedAt = performance.now();
      const entry: CachedReply = { reply: runInProcess(paths, { path, values }, stop.signal), version };
      replies.delete(key);
      replies.set(key, entry);
      for (const old of [...replies.keys()].slice(0, -MAX_REPLIES)) replies.delete(old);
      entry.reply.then(
        () => (entry.done = { at: performance.now(), tookMs: performance.now() - startedAt }),
        () => replies.delete(key),
      );
      return entry.reply;
    },
    close: (): void => stop.abort(),
  };
}

function isValid({ done, version }: CachedReply, current: string | undefined): boolean {
  if (done === undefined) return true;
  const age = performance.now() - done.at;
  return age < MAX_AGE_MS && ((version !== undefined && version === current) || age < done.tookMs * VALID_FACTOR);
}

function runInProcess(paths: Paths, query: OffloadedQuery, signal: AbortSignal): Promise<Answer> {
  const args = [process.argv[1] ?? "", "--answer", JSON.stringify(query)];
  const child = spawn(process.execPath, args, {
    cwd: paths.home,
    stdio: ["ignore", "pipe", "ignore"],
    windowsHide: true,
    signal,
    timeout: TIMEOUT_MS,
    killSignal: "SIGKILL",
  });
  return new Promise((done, fail) => {
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.on("error", fail);
    child.on("close", (code) => {
      if (code !== 0) return fail(new Error(`${query.path}: its process exited with code ${code}`));
      try {
        return done(answerOf(JSON.parse(Buffer.concat(chunks).toString()) as OffloadReply));
      } catch (error) {
        return fail(error);
      }
    });
  });
}

function answerOf(reply: OffloadReply): Answer {
  if (!("error" in reply)) return reply;
  const { code, message, hint = "" } = reply.error;
  throw code === "internal" ? new Error(message) : new AppError(code, message, { hint });
}
