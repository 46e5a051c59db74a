import { describe, expect, it } from "vitest";
import { exampleResult } from "./example-result.ts";
import { createState, pressKey, refineResults, resize, showResults, type State } from "./state.ts";

const SIZE = { columns: 80, rows: 24 };
const start = createState({ size: SIZE, project: "shop", agents: ["claude-code", "codex"] });
const results = Array.from({ length: 40 }, (_, id) => exampleResult({ id }));

function after(state: State, ...keys: string[]): State {
  return keys.reduce((now, name) => pressKey(now, { kind: "key", name }), state);
}

function type(state: State, text: string): State {
  return pressKey(state, { kind: "text", text });
}

describe("the interactive search", () => {
  it("starts in the current project, or in all projects if it has no sessions", () => {
    expect(start.question).toEqual({ query: "", here: true, agent: undefined, days: undefined });
    expect(createState({ size: SIZE, project: undefined, agents: [] }).question.here).toBe(false);
  });

  it.each<[string, string[], string, number]>([
    ["typing", [], "add a tést", 10],
    ["backspace", ["backspace"], "add a tés", 9],
    ["left and backspace", ["left", "backspace"], "add a tét", 8],
    ["delete in front of nothing", ["delete"], "add a tést", 10],
    ["home and delete", ["home", "delete"], "dd a tést", 0],
    ["ctrl-d inside", ["home", "ctrl-d"], "dd a tést", 0],
    ["deleting a word", ["ctrl-w"], "add a ", 6],
    ["deleting two words", ["ctrl-w", "ctrl-w"], "add ", 4],
    ["deleting to the left", ["left", "ctrl-u"], "t", 0],
    ["deleting to the right", ["meta-b", "ctrl-k"], "add a ", 6],
    ["going past the ends", ["right", "home", "left"], "add a tést", 0],
    ["a word to the right", ["home", "ctrl-right"], "add a tést", 3],
  ])("edits the query: %s", (_, keys, query, cursor) => {
    const state = after(type(start, "add a tést"), ...keys);
    expect([state.question.query, state.cursor]).toEqual([query, cursor]);
  });

  it("treats a grapheme as one character", () => {
    const state = type(start, "ok 👩‍👩‍👧");
    expect(after(state, "backspace").question.query).toBe("ok ");
    expect(after(state, "left").cursor).toBe(3);
  });

  it("keeps only the beginning of a huge paste", () => {
    const state = type(type(start, "x"), "y".repeat(100_000));
    expect(state.question.query).toHaveLength(2_000);
    expect(state.cursor).toBe(2_000);
  });

  it("cycles through projects, agents and times", () => {
    expect(after(start, "tab").question.here).toBe(false);
    expect(after(start, "tab", "tab").question).toEqual(start.question);
    expect(after(start, "ctrl-a").question.agent).toBe("claude-code");
    expect(after(start, "ctrl-a", "ctrl-a").question.agent).toBe("codex");
    expect(after(start, "ctrl-a", "ctrl-a", "ctrl-a").question).toEqual(start.question);
    expect(after(start, "ctrl-t").question.days).toBe(7);
    expect(after(start, "ctrl-t", "ctrl-t").question.days).toBe(30);
    expect(after(start, "ctrl-t", "ctrl-t", "ctrl-t").question).toEqual(start.question);
    const nowhere = createState({ size: SIZE, project: undefined, agents: [] });
    expect(after(nowhere, "tab").question).toBe(nowhere.question);
  });

  it("searches again only when the question changed", () => {
    const state = showResults(start, results);
    for (const name of ["down", "left", "home", "pagedown", "nonsense"]) {
      expect(after(state, name).question).toBe(start.question);
    }
    expect(type(state, "a").question).not.toBe(start.question);
  });

  it("moves through the results, keeps the selected one on the screen and stays within them", () => {
    const state = showResults(start, results);
    expect(after(state, "up")).toMatchObject({ selected: 0, top: 0 });
    expect(after(state, "down", "ctrl-n", "ctrl-p")).toMatchObject({ selected: 1, top: 0 });
    const page = after(state, "pagedown");
    expect(page).toMatchObject({ selected: 16, top: 1 });
    expect(after(page, "pagedown", "pagedown", "pagedown")).toMatchObject({ selected: 39, top: 24 });
    expect(after(page, "pageup")).toMatchObject({ selected: 0, top: 0 });
    expect(after(showResults(page, []), "down")).toMatchObject({ selected: 0, top: 0 });
  });

  it("still shows the selected result on a smaller screen", () => {
    const state = resize(after(showResults(start, results), "pagedown"), { columns: 80, rows: 8 });
    expect(state.selected).toBe(16);
    expect(state.top).toBe(12);
  });

  it("opens the selected result, if there is one", () => {
    const state = after(showResults(start, results), "down", "return");
    expect(state.outcome).toEqual({ kind: "open", result: results[1] });
    expect(after(start, "return").outcome).toBeUndefined();
  });

  it("accepts better results and keeps the selected session selected", () => {
    const typed = showResults(type(start, "cart"), results);
    const better = { results: results.toReversed(), by: "meaning" } as const;
    expect(refineResults(typed, better)).toMatchObject({ selected: 0, top: 0, by: "meaning" });
    const gone = refineResults(after(typed, "down", "down"), better);
    expect([gone.selected, gone.results[gone.selected]]).toEqual([37, results[2]]);
    expect(gone.top).toBeGreaterThan(0);
    expect(refineResults(after(typed, "down"), { results: [], by: "meaning" })).toMatchObject({ selected: 0, top: 0 });
  });

  it("exits with 0 on escape or ctrl-d, with 130 on ctrl-c, and ignores later keys", () => {
    expect(after(start, "escape").outcome).toEqual({ kind: "leave", exitCode: 0 });
    expect(after(start, "ctrl-d").outcome).toEqual({ kind: "leave", exitCode: 0 });
    const left = after(start, "ctrl-c");
    expect(left.outcome).toEqual({ kind: "leave", exitCode: 130 });
    expect(after(left, "escape")).toBe(left);
  });
});
