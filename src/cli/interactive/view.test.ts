import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { widthOf } from "../../platform/terminal/width.ts";
import { exampleResult, NOW } from "./example-result.ts";
import { createState, pressKey, refineResults, showResults, type State } from "./state.ts";
import { draw, type Paint, type Preview } from "./view.ts";

const plain: Paint = (_, text) => text;
const tagged: Paint = (style, text) => `<${style}>${text}</>`;
const preview: Preview = { kind: "prompt", snippet: { text: "why is the cart empty", marks: [[11, 15]] } };
const results = [
  exampleResult({}, 2),
  exampleResult(
    { title: "カートが空になる問題を直して、再読み込みでも残るようにする", agent: "codex", project: "ショップ" },
    1,
  ),
];

function stateOf(columns: number, rows: number, project?: string): State {
  return createState({ size: { columns, rows }, project, agents: ["codex"] });
}

function drawn(state: State, paint: Paint = plain): string[] {
  return draw(state, state.results.length === 0 ? undefined : preview, { now: NOW, paint }).lines;
}

describe("the screen of the interactive search", () => {
  it("shows query, filters, results, snippet and keys", () => {
    const state = showResults(pressKey(stateOf(80, 14), { kind: "text", text: "cart" }), results);
    expect(drawn(state).map((line) => line.trimEnd())).toMatchInlineSnapshot(`
      [
        "> cart",
        "all projects · all agents · all time               2 shown, best first, keywords",
        "▸ Make the cart survive a reload          shop             claude-code       3 h",
        "  カートが空になる問題を直して、再読み込… ショップ         codex             3 h",
        "",
        "",
        "",
        "",
        "────────────────────────────────────────────────────────────────────────────────",
        "  prompt · turn 2 of 4 · 12 tool uses · main · 0b9d4a52-0000-4000-8000-00000000…",
        "  why is the cart empty",
        "",
        "",
        "enter open · tab project · ctrl-a agent · ctrl-t time · esc quit",
      ]
    `);
  });

  it("says how the results were found", () => {
    const typed = showResults(pressKey(stateOf(80, 14), { kind: "text", text: "cart" }), results);
    expect(drawn(refineResults(typed, { results, by: "meaning" }))[1]).toMatch(
      /2 shown, best first, keywords and meaning$/,
    );
    expect(drawn(refineResults(typed, { results, by: "no meaning" }))[1]).toContain("keywords only (see c-mem doctor)");
    expect(drawn(showResults(typed, results))[1]).toMatch(/best first, keywords$/);
  });

  it("omits columns with the same value in every line", () => {
    const [, filters, line] = drawn(showResults(stateOf(60, 14, "shop"), results));
    expect(filters).toContain("this project: shop");
    expect(line).not.toContain("shop");
  });

  it("marks the selected line and the matching words", () => {
    const lines = drawn(showResults(stateOf(80, 14), results), tagged);
    expect(lines[2]).toMatch(/^<inverse>▸ Make the cart .*<\/>$/);
    expect(lines.join("\n")).toContain("why is the <yellow>cart</> empty");
  });

  it.each([
    [true, "Tab searches all projects"],
    [false, "`c-mem sync` imports"],
  ])("says what to do without results (in a project: %s)", (isHere, hint) => {
    expect(drawn(stateOf(80, 24, isHere ? "shop" : undefined)).join("\n")).toContain(hint);
  });

  it("shows the part of a long query around the cursor", () => {
    const state = pressKey(stateOf(20, 24), { kind: "text", text: "the beginning and the 終わり" });
    const { lines, cursorColumn } = draw(state, undefined, { now: NOW, paint: plain });
    expect(lines[0]).toMatch(/^> .*終わり *$/);
    expect(cursorColumn).toBeLessThan(20);
    const home = draw(pressKey(state, { kind: "key", name: "home" }), undefined, { now: NOW, paint: plain });
    expect([home.lines[0]?.slice(0, 8), home.cursorColumn]).toEqual(["> the be", 2]);
  });

  it("fits every screen, whatever the titles contain", () => {
    const text = fc.string({ unit: "binary", maxLength: 200 });
    fc.assert(
      fc.property(
        text,
        text,
        fc.integer({ min: 4, max: 120 }),
        fc.integer({ min: 1, max: 40 }),
        (a, b, columns, rows) => {
          const found = [exampleResult({ title: a, project: b, git_branch: b, session_id: a }), ...results];
          const state = showResults(pressKey(stateOf(columns, rows), { kind: "text", text: "x語" }), found);
          const hostile: Preview = { kind: "tool", snippet: { text: a, marks: [[1, 3]] } };
          const { lines } = draw(state, hostile, { now: NOW, paint: plain });
          expect(lines.length).toBeLessThanOrEqual(Math.max(1, rows));
          for (const line of lines) {
            expect(widthOf(line)).toBeLessThanOrEqual(columns);
            // oxlint-disable-next-line no-control-regex
            expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
            expect(stripVTControlCharacters(line)).toBe(line);
          }
        },
      ),
      { examples: [["\n⺀", "", 4, 14]] },
    );
  });
});
