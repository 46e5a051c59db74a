// Keeps out what does not come from this machine's owner: other pages in their browser, other names for this address, others.
import type { Context, MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import { AppError } from "../core/error.ts";
import { type Access, cookieName } from "./access.ts";
import type { Host } from "./host.ts";
import { replyError } from "./reply.ts";

/** One event with its output, as large as any is kept. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** What the page may load: its own files, nothing else, and no script that stands in the HTML. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

const HEADERS: readonly (readonly [string, string])[] = [
  ["Content-Security-Policy", POLICY],
  ["X-Content-Type-Options", "nosniff"],
  ["X-Frame-Options", "DENY"],
  ["Referrer-Policy", "no-referrer"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Permissions-Policy", "camera=(), geolocation=(), microphone=()"],
];

export function addHeaders(): MiddlewareHandler {
  return async (http, next) => {
    await next();
    for (const [name, value] of HEADERS) http.res.headers.set(name, value);
    if (!http.res.headers.has("Cache-Control")) http.res.headers.set("Cache-Control", "no-store");
  };
}

/** A page of another site that calls itself by a name of ours (DNS rebinding) still asks for its own name. */
export function checkOrigin(host: Host): MiddlewareHandler {
  return async (http, next) => {
    const refusal = findRefusal(http, allowedHosts(host.port()));
    return refusal === undefined ? await next() : replyError(http, "", new AppError("forbidden", refusal), host);
  };
}

function allowedHosts(port: number): string[] {
  return [`127.0.0.1:${port}`, `localhost:${port}`];
}

function findRefusal(http: Context, hosts: readonly string[]): string | undefined {
  const { req } = http;
  if (!hosts.includes((req.header("Host") ?? "").toLowerCase())) return "That is not an address of this server.";
  const origin = req.header("Origin");
  if (origin !== undefined && !hosts.some((name) => origin === `http://${name}`))
    return "Pages of other origins may not ask here.";
  const site = req.header("Sec-Fetch-Site");
  if (site === undefined || site === "same-origin" || site === "none") return undefined;
  // Somebody follows a link to a page: that shows nothing by itself, and brings no cookie.
  const isVisit = req.method === "GET" && req.header("Sec-Fetch-Mode") === "navigate" && !isData(req.method, req.path);
  return isVisit ? undefined : "Pages of other sites may not ask here.";
}

/** What is not the page's own files or the sign of life. What is reported of sessions is sent; who only looks there sees the page. */
export function isData(method: string, path: string): boolean {
  return /^\/(?:api|stream)(?:\/|$)/.test(path) || (method !== "GET" && /^\/sessions(?:\/|$)/.test(path));
}

export function checkAccess(host: Host, access: Access): MiddlewareHandler {
  return async (http, next) => {
    if (!isData(http.req.method, http.req.path) || access.hasToken(http.req.header("Authorization")))
      return await next();
    const cookie = getCookie(http, cookieName(host.port()));
    if (access.hasCookie(cookie, Date.now()) && isFromPage(http)) return await next();
    if (access.refuse(performance.now())) {
      http.header("Retry-After", "60");
      return replyError(http, "", new AppError("rate_limited", "Too many were refused lately."), host);
    }
    http.header("WWW-Authenticate", 'Bearer realm="c-mem"');
    const hint = "`c-mem open` opens the page; programs send the token in server.json as a bearer token.";
    return replyError(http, "", new AppError("unauthorized", "The token is missing or wrong.", { hint }), host);
  };
}

/** What changes something comes from our own page, which says so, and not from a form. */
function isFromPage({ req }: Context): boolean {
  if (req.method === "GET") return true;
  const isOwn = req.header("Sec-Fetch-Site") === "same-origin" || req.header("Origin") !== undefined;
  return isOwn && /^application\/json\b/i.test(req.header("Content-Type") ?? "");
}

/** Not the library's own: that makes the request anew, which Node's adaptor does not take for what has no stated length. */
export function limitBody(host: Host): MiddlewareHandler {
  const message = `The body is larger than ${MAX_BODY_BYTES / 1024 / 1024} MB.`;
  return async (http, next) => {
    const isUnmeasured = http.req.header("Transfer-Encoding") !== undefined;
    const isTooLarge = Number(http.req.header("Content-Length") ?? 0) > MAX_BODY_BYTES;
    const text = isUnmeasured && !isTooLarge ? await readUpTo(http.req.raw.body, MAX_BODY_BYTES) : "";
    if (isTooLarge || text === undefined) return replyError(http, "", new AppError("too_large", message), host);
    if (isUnmeasured) http.req.bodyCache.text = text;
    return await next();
  };
}

/** Undefined where there is more. */
async function readUpTo(body: ReadableStream<Uint8Array> | null, maxBytes: number): Promise<string | undefined> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.length;
    if (bytes > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
