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
    expect([...(asked?.names ?? [])]).toEqual(["parsequotedfield", "reader.ts"]);
    expect(asked?.paths).toEqual(["src/csv/reader.ts"]);
  });

  it.each<[string, string[]]>([
    ["why is max_batch_size ignored by the queue?", ["max_batch_size"]],
    ["what does trace.v2 add to `lens-table`", ["lens-table", "trace.v2"]],
    ["the worker throws ECONNRESET in utf16 mode", ["econnreset", "utf16"]],
    ["rename the follow-up button in the footer", []],
  ])("finds the names in %j", (text, names) => {
    expect([...(parsePrompt(text)?.names ?? [])]).toEqual(names);
  });

  it.each<[string, { number: number; repository: string | undefined }[]]>([
    ["can we close https://github.com/acme/orbit/issues/417 now", [{ number: 417, repository: "orbit" }]],
    ["is acme/orbit#88 merged yet", [{ number: 88, repository: "orbit" }]],
    ["PR 188 has a new comment", [{ number: 188, repository: undefined }]],
    ["look at #204 again please", [{ number: 204, repository: undefined }]],
    ["let's handle #4 of the list", []],
  ])("finds the issues in %j", (text, issues) => {
    expect(parsePrompt(text)?.issues ?? []).toEqual(issues);
  });

  it.each([
    "ok lets get back to main and pull in the latest",
    "commit this and push it up",
    "switch to the docs branch please",
  ])("returns undefined for the order %j", (text) => {
    expect(parsePrompt(text)).toBeUndefined();
  });

  it("ignores URLs", () => {
    expect(parsePrompt("look at https://example.com/frobnicator/calibration")?.words ?? []).not.toContain(
      "frobnicator",
    );
  });

  it("never throws", () => {
    fc.assert(fc.property(fc.string({ unit: "binary", maxLength: 2000 }), (text) => void parsePrompt(text)));
  });
});
