// Turns a route's result or error into an HTTP response: the command's JSON with a matching status.
import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { type Answer, answerJson, errorJson } from "../queries/envelope.ts";
import { AppError } from "../core/error.ts";
import type { Host } from "./host.ts";

/** The status for each error code. Other codes have status 422. */
const STATUS: Readonly<Record<string, ContentfulStatusCode>> = {
  usage: 400,
  unauthorized: 401,
  forbidden: 403,
  excluded: 403,
  nothing_found: 404,
  no_memory: 404,
  bad_config: 409,
  too_late: 410,
  too_large: 413,
  rate_limited: 429,
  internal: 500,
  store_busy: 503,
  store_unwritable: 503,
  store_io: 503,
  store_damaged: 503,
  disk_full: 507,
};

export function statusOf(code: string): ContentfulStatusCode {
  return STATUS[code] ?? 422;
}

export function reply(http: Context, command: string, answer: Answer): Response {
  return http.json(answerJson(command, answer));
}

export function replyError(http: Context, command: string, error: unknown, host: Pick<Host, "log">): Response {
  const json = errorJson(command, error);
  json.error.message = withParameters(json.error.message);
  json.error.hint = json.error.hint && withParameters(json.error.hint);
  if (!(error instanceof AppError)) {
    host.log(`${http.req.method} ${http.req.path}: ${json.error.message}`, { stack: (error as Error)?.stack });
    // The message may quote private data, so only the log has it.
    json.error.message = "Something went wrong.";
    json.error.hint = "`c-mem worker logs` has the details. This is a bug in C-Mem: please report it.";
  }
  return http.json(json, wantsOk(http, json.error.code) ? 200 : statusOf(json.error.code));
}

/** The page asks for status 200 instead of 404: browsers log every 404 as an error. */
function wantsOk(http: Context, code: string): boolean {
  return (code === "nothing_found" || code === "no_memory") && http.req.header("X-Nothing-Found") === "200";
}

/** Options become parameters: "--has-more" -> "`hasMore`". Commands stay the same: "`c-mem list --all`" */
function withParameters(text: string): string {
  return text.replace(
    /`[^`]*`|\bc-mem [^.,;)`]*|(?<![\w-])--([a-z]+(?:-[a-z]+)*)/g,
    (all, option: string | undefined) =>
      option === undefined ? all : `\`${option.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase())}\``,
  );
}
