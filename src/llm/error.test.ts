import { expect, it } from "vitest";
import { LlmError, actionAfterFailure } from "./error.ts";

it("waits as long as the server says, but at most a day", () => {
  const after = (retryAfterMs: number) => actionAfterFailure(new LlmError("rate-limit", "later", { retryAfterMs }), 0);
  expect(after(90_000)).toMatchObject({ kind: "pause", afterMs: 90_000 });
  expect(after(0)).toMatchObject({ kind: "pause", afterMs: 0 });
  expect(after(200 * 365 * 86_400_000)).toMatchObject({ kind: "pause", afterMs: 86_400_000 });
});
