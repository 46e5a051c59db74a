import { describe, expect, it } from "vitest";
import { shortId } from "./text.ts";

describe("a session's short id", () => {
  it.each([
    ["0b9d4a52-0000-4000-8000-000000000001", "0b9d4a52"],
    ["agent-a1b2c3d4e5f6", "agent-a1b2c3d4"],
    // Begun within the same minute, or the same quarter of an hour.
    ["019f0000-0000-7000-8000-000000000001", "019f0000-0000"],
    ["019f0000-1111-7000-8000-000000000001", "019f0000-1111"],
    ["agent-019f0000-1111-7000-8000-000000000001", "agent-019f0000-1111"],
    ["ses_4af1c0ffee01ffeAbCdEfGhIjKlMnO", "ses_4af1c0ffee01"],
    ["agent-ses_4af1c0ffee02ffeAbCdEfGhIjKlMnO", "agent-ses_4af1c0ffee02"],
    ["ses_1", "ses_1"],
    ["agent-sub1", "agent-sub1"],
    ["editor-session", "editor-s"],
    ["", ""],
  ])("of %j is %j", (id, short) => {
    expect(shortId(id)).toBe(short);
    expect(id.startsWith(short)).toBe(true);
  });
});
