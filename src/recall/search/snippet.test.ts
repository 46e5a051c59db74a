import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeSnippet } from "./snippet.ts";

const marked = (source: string, words: string[], maxChars = 60) => {
  const { text, marks } = makeSnippet(source, words, maxChars);
  return { text, words: marks.map(([from, to]) => text.slice(from, to)) };
};

describe("a snippet", () => {
  it("shows the part where the query's words are close together", () => {
    const source = `${"noise ".repeat(100)}the login token expires too early${" more".repeat(100)}`;
    const { text, words } = marked(source, ["login", "token"]);
    expect(text).toContain("login token expires");
    expect(text.startsWith("…") && text.endsWith("…")).toBe(true);
    expect(words).toEqual(["login", "token"]);
  });

  it("marks other forms of a word, and is one line of plain text", () => {
    expect(marked("Fixing the\n\u001b[31mcaches", ["fixed", "cache"])).toEqual({
      text: "Fixing the [31mcaches",
      words: ["Fixing", "caches"],
    });
  });

  it("never throws and never exceeds its length by more than two ellipses", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "binary" }),
        fc.array(fc.string()),
        fc.integer({ min: 1, max: 200 }),
        (source, words, maxChars) => {
          const { text, marks } = makeSnippet(source, words, maxChars);
          expect(text.length).toBeLessThanOrEqual(maxChars + 2);
          for (const [from, to] of marks) expect(from >= 0 && to <= text.length).toBe(true);
        },
      ),
    );
  });
});
