import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attributeLines } from "./attribute-lines.ts";
import { type EditUse, readEdit, splitLines } from "./file-change.ts";
import { matchLines } from "./match-lines.ts";

const PATH = "src/a.ts";
const use = (input: object, output: string | null = null): EditUse => ({ name: "Edit", input, output });
const create = (content: string): EditUse => use({ file_path: PATH, content }, "created");
const overwrite = (content: string): EditUse => use({ file_path: PATH, content }, "updated");
const replace = (old_string: string, new_string: string, more: object = {}, output: string | null = null): EditUse =>
  use({ file_path: PATH, old_string, new_string, ...more }, output);
const patch = (text: string): EditUse => use({ patch: `*** Begin Patch\n${text}\n*** End Patch` });

/** The edit of each line; "~1" if its place is not certain, "-" without one. */
function origins(text: string, ...edits: EditUse[]): string {
  const found = attributeLines(
    splitLines(text),
    edits.map((each) => readEdit(each, PATH)),
  );
  return found.map((origin) => (origin === undefined ? "-" : `${origin.isExact ? "" : "~"}${origin.edit}`)).join(" ");
}

const ABC = "alpha = 1\nbeta = 2\ngamma = 3\n";

describe("each line has the edit that inserted it", () => {
  it.each<[string, string, EditUse[], string]>([
    ["a new file", ABC, [create(ABC)], "0 0 0"],
    ["a changed line", "alpha = 1\nbeta = 5\ngamma = 3\n", [create(ABC), replace("beta = 2", "beta = 5")], "0 1 0"],
    ["a part of a line", "alpha = 1\nbeta = 25\ngamma = 3\n", [create(ABC), replace("a = 2", "a = 25")], "0 1 0"],
    [
      "an inserted line",
      "alpha = 1\nmore = 0\nbeta = 2\ngamma = 3\n",
      [create(ABC), replace("beta", "more = 0\nbeta")],
      "0 1 0 0",
    ],
    [
      "a function after another one that ends alike",
      "a {\n}\n\nb {\n}\n",
      [create("a {\n}\n"), replace("a {\n}\n", "a {\n}\n\nb {\n}\n")],
      "0 0 1 1 1",
    ],
    ["lines around a deleted one", "alpha = 1\ngamma = 3\n", [create(ABC), replace("beta = 2\n", "")], "0 0"],
    ["every place of replace_all", "x1\nx2\n", [create("y1\ny2\n"), replace("y", "x", { replace_all: true })], "1 1"],
    [
      "of an overwritten file what was there before",
      "alpha = 1\nbeta = 9\n",
      [create(ABC), overwrite("alpha = 1\nbeta = 9\n")],
      "0 ~1",
    ],
    [
      "a file with Windows line ends",
      "alpha = 1\r\nbeta = 5\r\n",
      [create("alpha = 1\nbeta = 2\n"), replace("beta = 2", "beta = 5")],
      "0 1",
    ],
    [
      "several edits of one tool use",
      "alpha = 7\nbeta = 2\ngamma = 8\n",
      [
        create(ABC),
        use({
          edits: [
            { old_string: "alpha = 1", new_string: "alpha = 7" },
            { old_string: "gamma = 3", new_string: "gamma = 8" },
          ],
        }),
      ],
      "1 0 1",
    ],
    [
      "apply_patch, also for one file of several",
      "alpha = 1\nbeta = 5\ngamma = 3\n",
      [
        patch("*** Add File: src/a.ts\n+alpha = 1\n+beta = 2\n+gamma = 3"),
        patch(
          "*** Update File: src/b.ts\n@@\n-beta = 2\n+beta = 6\n*** Update File: src/a.ts\n@@\n alpha = 1\n-beta = 2\n+beta = 5",
        ),
      ],
      "0 1 0",
    ],
    [
      "the place that the agent's own patch names, of several with this text",
      "x = 2\nother\nx = 2\n",
      [create("x = 2\nother\nx = 1\n"), replace("x = 1", "x = 2", {}, "@@ -3 +3 @@\n other\n-x = 1\n+x = 2")],
      "0 0 1",
    ],
    [
      "the exact line of the patch, next to an equal one",
      "x = 2\nx = 2\n",
      [create("x = 2\nx = 1\n"), replace("x = 1", "x = 2", {}, "@@ -1,2 +1,2 @@\n x = 2\n-x = 1\n+x = 2")],
      "0 1",
    ],
    [
      "no line, if several are equal and no patch says which one",
      "x = 2\nother\nx = 2\n",
      [replace("x = 1", "x = 2")],
      "- - -",
    ],
    [
      "several edits of one tool use, each in its own hunk",
      "y = 5\nx = 2\none\ntwo\nthree\nx = 2\nfour\n",
      [
        create("y = 1\nx = 2\none\ntwo\nthree\nfour\n"),
        use(
          {
            edits: [
              { old_string: "y = 1", new_string: "y = 5" },
              { old_string: "three\n", new_string: "three\nx = 2\n" },
            ],
          },
          "@@ -1,2 +1,2 @@\n-y = 1\n+y = 5\n x = 2\n@@ -5 +5,2 @@\n three\n+x = 2",
        ),
      ],
      "1 0 0 0 0 1 0",
    ],
    [
      "several edits of one tool use that wrote the same line twice",
      "x = 2\none\nx = 2\ntwo\nthree\nx = 2\n",
      [
        create("x = 2\none\nx = 1\ntwo\nthree\nx = 3\n"),
        use(
          {
            edits: [
              { old_string: "x = 1", new_string: "x = 2" },
              { old_string: "x = 3", new_string: "x = 2" },
            ],
          },
          "@@ -3 +3 @@\n-x = 1\n+x = 2\n@@ -6 +6 @@\n-x = 3\n+x = 2",
        ),
      ],
      "0 0 1 0 0 1",
    ],
    [
      "a cell of a notebook",
      '  "first cell\\n",\n',
      [use({ notebook_path: PATH, new_source: "first cell\nsecond" })],
      "~0",
    ],
    [
      "a line with a secret, which was not recorded",
      'first = 1\nkey = "abc"\nlast = 2\n',
      [create('first = 1\nkey = "[redacted:token]"\nlast = 2\n')],
      "0 0 0",
    ],
  ])("%s", (_name, text, edits, expected) => {
    expect(origins(text, ...edits)).toBe(expected);
  });

  it("after changes by hand, which have none and hide only what they changed", () => {
    expect(origins("alpha = 1\nby hand\nbeta = 5\ngamma = 4\n", create(ABC), replace("beta = 2", "beta = 5"))).toBe(
      "0 - 1 -",
    );
  });

  it("if the text around it changed since, by its telling lines", () => {
    const edit = replace("beta = 2\ngamma = 3", "beta = 2\nconst telling = 'line';\ngamma = 3");
    expect(origins("beta = 22\nconst telling = 'line';\ngamma = 33\n", edit)).toBe("- ~0 -");
  });

  it("in a long file of which only head and tail were recorded", () => {
    const lines = Array.from({ length: 30 }, (_, index) => `const value${index} = ${index};`);
    const hidden = lines.slice(10, 20).join("\n").length;
    const cut = [...lines.slice(0, 10), `[… ${hidden} characters cut by c-mem …]`, ...lines.slice(20)].join("\n");
    expect(origins(lines.join("\n"), create(cut))).toBe(lines.map(() => "0").join(" "));
  });
});

it("no edit, whatever its text, fails or gives a line to an edit that did not add it", () => {
  const text = fc
    .array(fc.constantFrom("a", "b", "}", "", "long line", "other line"), { maxLength: 8 })
    .map((lines) => lines.join("\n"));
  const edit = fc.record({ old_string: text, new_string: text, replace_all: fc.boolean() });
  fc.assert(
    fc.property(text, fc.array(edit, { maxLength: 6 }), (file, edits) => {
      const found = attributeLines(
        splitLines(file),
        edits.map((input) => readEdit(use(input), PATH)),
      );
      expect(found).toHaveLength(splitLines(file).length);
      for (const [index, origin] of found.entries()) {
        const line = splitLines(file)[index] ?? "";
        if (origin !== undefined)
          expect(edits[origin.edit]?.new_string.split("\n").some((part) => line.includes(part))).toBe(true);
      }
    }),
  );
});

it("lines in common are the same in both texts, and in order", () => {
  const lines = fc.array(fc.constantFrom("a", "b", "c", "}"), { maxLength: 30 });
  fc.assert(
    fc.property(lines, lines, fc.constantFrom("start", "end"), (old, now, first) => {
      let last = -1;
      for (const [index, at] of matchLines(old, now, { first: first as "start" }).entries()) {
        if (at < 0) continue;
        expect(old[at]).toBe(now[index]);
        expect(at).toBeGreaterThan(last);
        last = at;
      }
    }),
  );
  expect([...matchLines(["a", "b"], ["a", "x", "b"])]).toEqual([0, -1, 1]);
});
