// Authorises requests by the token, or by the cookie of a browser that opened a one-time link.
import type { IncomingHttpHeaders } from "node:http";
import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";

const CODE_MS = 60_000;
const MAX_CODES = 20;
/** Cookies stay valid when the worker restarts, because they depend only on the token. */
export const COOKIE_SECONDS = 30 * 24 * 60 * 60;
const MAX_REFUSALS = 20;
const REFUSAL_WINDOW_MS = 60_000;

/** Browsers share cookies between the ports of a host, so the name contains the port. */
export function cookieName(port: number): string {
  return `c_mem_${port}`;
}

/** Whether a request has a valid token or cookie. What the request may do is checked later. */
export function isOwner(access: Access, { authorization, cookie }: IncomingHttpHeaders, port: number): boolean {
  if (access.hasToken(authorization)) return true;
  const prefix = `${cookieName(port)}=`;
  const own = cookie
    ?.split(";")
    .map((one) => one.trim())
    .find((one) => one.startsWith(prefix));
  return own !== undefined && access.hasCookie(own.slice(prefix.length), Date.now());
}

export type Access = ReturnType<typeof createAccess>;

export function createAccess(token: string) {
  const codes = new Map<string, number>();
  let refusals: number[] = [];
  const sign = (text: string): string => createHmac("sha256", token).update(`cookie ${text}`).digest("hex");
  return {
    hasToken(authorization: string | undefined): boolean {
      const given = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1];
      return given !== undefined && isSame(given, token);
    },
    /** Makes the code of a one-time link, valid for a minute. */
    makeCode(): string {
      const code = randomBytes(24).toString("base64url");
      for (const [old] of [...codes].slice(0, Math.max(0, codes.size + 1 - MAX_CODES))) codes.delete(old);
      codes.set(digest(code), performance.now() + CODE_MS);
      return code;
    },
    /** Returns whether the code is valid, and makes it invalid. */
    useCode(code: string): boolean {
      const key = digest(code);
      const until = codes.get(key);
      codes.delete(key);
      return until !== undefined && performance.now() < until;
    },
    makeCookie(now: number): string {
      const issued = String(Math.floor(now / 1000));
      return `${issued}.${sign(issued)}`;
    },
    hasCookie(value: string | undefined, now: number): boolean {
      const [issued = "", signature = ""] = (value ?? "").split(".");
      if (!/^\d{1,12}$/.test(issued) || !isSame(signature, sign(issued))) return false;
      const age = now / 1000 - Number(issued);
      // A negative age is valid: the clock may have been set back.
      return age > -COOKIE_SECONDS && age < COOKIE_SECONDS;
    },
    /** Counts a refused request. Returns true if there were too many in the last minute. */
    countRefusal(now: number): boolean {
      refusals = [...refusals.filter((at) => now - at < REFUSAL_WINDOW_MS), now].slice(-MAX_REFUSALS - 1);
      return refusals.length > MAX_REFUSALS;
    },
  };
}

/** Takes constant time: compares hashes, which have equal length. */
function isSame(given: string, right: string): boolean {
  return timingSafeEqual(Buffer.from(digest(given)), Buffer.from(digest(right)));
}

function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
