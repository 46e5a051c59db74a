import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parsePrompt } from "./parse-prompt.ts";

describe("parsing a prompt", () => {
  it.each(["yes", "ok go on", "do it", "/compact and keep it", "!ls -la", "#remember this", "   ", "1 2 3"])(
    "returns undefined for %j",
    (text) => {
      expect(parsePrompt(text)).toBeUndefined();
    },
  );

  it("finds informative words, code names and paths", () => {
    const asked = parsePrompt("Please fix parseQuotedField in src/csv/reader.ts: the delimiter sniffing is off");
    expect(asked?.words).toEqual(expect.arrayContaining(["parsequotedfield", "delimiter", "sniffing"]));
    expect(asked?.words).not.toContain("fix");
    expect([...(asked?.names ?? [])]).toEqual(["parsequotedfield"]);
    expect(asked?.paths).toEqual(["src/csv/reader.ts"]);
  });

  it.each(["Do you remember how we did it?", "same as last time please", "why did we drop it", "Do it as before"])(
    "%j points at the past",
    (text) => {
      expect(parsePrompt(text)?.isAboutPast).toBe(true);
    },
  );

  it("ignores URLs", () => {
    expect(parsePrompt("look at https://example.com/frobnicator/calibration")?.words ?? []).not.toContain(
      "frobnicator",
    );
  });

  it("never throws", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 2000 }), (text) => void parsePrompt(text)));
  });
});
