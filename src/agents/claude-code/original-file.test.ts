import fc from "fast-check";
import { expect, it } from "vitest";
import { withoutOriginalFile } from "./original-file.ts";

const LONG = 'a "quoted"\\ line\n'.repeat(400);

function parsed(line: unknown): unknown {
  return JSON.parse(withoutOriginalFile(Buffer.from(JSON.stringify(line))).toString());
}

it("removes the original file and nothing else", () => {
  const result = { filePath: "/a \\", oldString: '"', newString: LONG, originalFile: LONG, structuredPatch: [] };
  const line = { type: "user", message: {}, toolUseResult: result, uuid: "u1" };
  expect(parsed(line)).toEqual({ ...line, toolUseResult: { ...result, originalFile: "" } });
});

it.each([
  ["an assistant's call", { type: "assistant", message: {}, toolUseResult: { originalFile: LONG } }],
  ["deeper down", { type: "user", message: {}, toolUseResult: { content: { originalFile: LONG } } }],
  [
    "in a text",
    { type: "user", message: { content: JSON.stringify({ a: 1, toolUseResult: { originalFile: LONG } }) } },
  ],
  ["no text", { type: "user", message: LONG, toolUseResult: { originalFile: null } }],
])("changes nothing in %s", (_, line) => {
  expect(parsed(line)).toEqual(line);
});

it("changes no other field of any line, and never throws on a cut line", () => {
  const text = fc.string({ unit: fc.constantFrom('"', "\\", "a", ",", "{", "é", "\n", "originalFile"), maxLength: 40 });
  fc.assert(
    fc.property(text, text, text, fc.nat(), (before, file, after, cut) => {
      const result = { filePath: before, originalFile: file + LONG, newString: after };
      const line = { type: "user", message: {}, toolUseResult: result };
      expect(parsed(line)).toEqual({ ...line, toolUseResult: { ...result, originalFile: "" } });
      const bytes = Buffer.from(JSON.stringify(line));
      const part = withoutOriginalFile(bytes.subarray(0, cut % bytes.length)).toString();
      expect(() => JSON.parse(part) as unknown).toThrow("JSON");
    }),
  );
});
