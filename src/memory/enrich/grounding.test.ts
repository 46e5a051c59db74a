import { describe, expect, it } from "vitest";
import { isGrounded } from "./grounding.ts";

const RECORD =
  "edited src/auth/token.ts: refreshtoken() now waits for mutex.lock(); 7-day expiry; npm test: 42 passed".toLowerCase();

describe("a claim", () => {
  it.each([
    "The refreshToken function in src/auth/token.ts waits for mutex.lock()",
    "All 42 tests pass and tokens expire after 7-day periods",
    "Chose a mutex for its simplicity",
    "In plain words nothing can be checked",
  ])("%j can be in the record", (claim) => {
    expect(isGrounded(claim, RECORD)).toBe(true);
  });

  it.each([
    "The sessionStore in src/session/store.ts uses redis.setex with a TTL of 3600",
    "Upgraded to React_19 and vite/6.0 in package.json",
  ])("%j was made up", (claim) => {
    expect(isGrounded(claim, RECORD)).toBe(false);
  });
});
