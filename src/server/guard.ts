// Rejects requests from other origins, with other host names, or without the token or cookie.
import type { Context, MiddlewareHandler } from "hono";
import { getCookie } from "hono/cookie";
import { AppError } from "../core/error.ts";
import { type Access, cookieName } from "./access.ts";
import type { Host } from "./host.ts";
import { replyError } from "./reply.ts";

/** Enough for the largest event that is stored. */
const MAX_BODY_BYTES = 4 * 1024 * 1024;

/** The page may load only its own files and data: images, and run no inline scripts. */
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

/** Rejects other origins, and other Host names: after DNS rebinding the Host header names the attacker's site. */
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
  if (!hosts.includes((req.header("Host") ?? "").toLowerCase())) return "Unknown Host header.";
  const origin = req.header("Origin");
  if (origin !== undefined && !hosts.some((name) => origin === `http://${name}`))
    return "Requests from other origins are not allowed.";
  const site = req.header("Sec-Fetch-Site");
  if (site === undefined || site === "same-origin" || site === "none") return undefined;
  // Another site may link to the page: the page's files contain no data, and no cookie is sent.
  const isVisit =
    req.method === "GET" && req.header("Sec-Fetch-Mode") === "navigate" && !needsAccess(req.method, req.path);
  return isVisit ? undefined : "Requests from other sites are not allowed.";
}

/** False for /health, /open and the page. `GET /sessions/…` is the page; other methods on it record events. */
export function needsAccess(method: string, path: string): boolean {
  return /^\/(?:api|stream)(?:\/|$)/.test(path) || (method !== "GET" && /^\/sessions(?:\/|$)/.test(path));
}

export function checkAccess(host: Host, access: Access): MiddlewareHandler {
  return async (http, next) => {
    if (!needsAccess(http.req.method, http.req.path) || access.hasToken(http.req.header("Authorization")))
      return await next();
    const cookie = getCookie(http, cookieName(host.port()));
    if (access.hasCookie(cookie, Date.now()) && isFromPage(http)) return await next();
    if (access.countRefusal(performance.now())) {
      http.header("Retry-After", "60");
      return replyError(http, "", new AppError("rate_limited", "Too many refused requests."), host);
    }
    http.header("WWW-Authenticate", 'Bearer realm="c-mem"');
    const hint = "`c-mem open` opens the page; programs send the token in server.json as a bearer token.";
    return replyError(http, "", new AppError("unauthorized", "The token is missing or wrong.", { hint }), host);
  };
}

/** Requests that change something must come from the page itself, not from another site's form. */
function isFromPage({ req }: Context): boolean {
  if (req.method === "GET") return true;
  const isOwn = req.header("Sec-Fetch-Site") === "same-origin" || req.header("Origin") !== undefined;
  return isOwn && /^application\/json\b/i.test(req.header("Content-Type") ?? "");
}

/** Replaces hono's bodyLimit, which fails here for bodies without Content-Length because it rebuilds the request. */
export function limitBody(host: Host): MiddlewareHandler {
  const message = `The body is larger than ${MAX_BODY_BYTES / 1024 / 1024} MB.`;
  return async (http, next) => {
    const hasNoLength = http.req.header("Transfer-Encoding") !== undefined;
    const isTooLarge = Number(http.req.header("Content-Length") ?? 0) > MAX_BODY_BYTES;
    const text = hasNoLength && !isTooLarge ? await readUpTo(http.req.raw.body, MAX_BODY_BYTES) : "";
    if (isTooLarge || text === undefined) return replyError(http, "", new AppError("too_large", message), host);
    if (hasNoLength) http.req.bodyCache.text = text;
    return await next();
  };
}

/** Undefined if the body is longer. */
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
