import { describe, expect, it, vi } from "vitest";
import { COOKIE_SECONDS, createAccess } from "./access.ts";

const TOKEN = "0123".repeat(16);
const NOW = Date.UTC(2026, 0, 5);

describe("access", () => {
  it("is granted by the exact token only", () => {
    const access = createAccess(TOKEN);
    expect(access.hasToken(`Bearer ${TOKEN}`)).toBe(true);
    expect(access.hasToken(`bearer   ${TOKEN}`)).toBe(true);
    for (const other of [
      undefined,
      "",
      "Bearer",
      TOKEN,
      `Bearer ${TOKEN}1`,
      `Bearer ${TOKEN.slice(1)}`,
      `Basic ${TOKEN}`,
    ])
      expect(access.hasToken(other)).toBe(false);
  });

  it("is granted by a code once, within a minute", () => {
    vi.useFakeTimers();
    const access = createAccess(TOKEN);
    const code = access.makeCode();
    expect([access.useCode("other"), access.useCode(code), access.useCode(code)]).toEqual([false, true, false]);
    const late = access.makeCode();
    vi.advanceTimersByTime(61_000);
    expect(access.useCode(late)).toBe(false);
    vi.useRealTimers();
  });

  it("survives restarts with a cookie, until the cookie expires or the token changes", () => {
    const cookie = createAccess(TOKEN).makeCookie(NOW);
    const later = createAccess(TOKEN);
    expect(later.hasCookie(cookie, NOW + 1_000)).toBe(true);
    expect(later.hasCookie(cookie, NOW + COOKIE_SECONDS * 1_000 + 1)).toBe(false);
    expect(createAccess("4567".repeat(16)).hasCookie(cookie, NOW)).toBe(false);
    const [issued = "", signature = ""] = cookie.split(".");
    for (const forged of [
      undefined,
      "",
      ".",
      `${Number(issued) + 1}.${signature}`,
      `${issued}.`,
      `${issued}.${"0".repeat(64)}`,
    ])
      expect(later.hasCookie(forged, NOW)).toBe(false);
  });

  it("is not granted by the oldest codes if there are too many", () => {
    const access = createAccess(TOKEN);
    const codes = Array.from({ length: 30 }, () => access.makeCode());
    expect(access.useCode(codes[0] ?? "")).toBe(false);
    expect(access.useCode(codes.at(-1) ?? "")).toBe(true);
  });
});
