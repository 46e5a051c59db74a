// These texts are classified with the weights in plugin/, so they are clear cases; other words may need other weights.
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { committed, edited, ran, said, turn, used } from "../../../test/evidence.ts";
import type { Observation } from "../../core/memory.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { extractTurn } from "./extract-turn.ts";

const observe = (evidence: TurnEvidence): Observation[] => extractTurn(evidence).observations;
const only = (evidence: TurnEvidence): Observation => {
  const all = observe(evidence);
  expect(all.map(({ title }) => title)).toHaveLength(1);
  return all[0] as Observation;
};
const answering = (evidence: TurnEvidence, previousResponse: string): TurnEvidence => ({
  ...evidence,
  prompt: { ...evidence.prompt, previousResponse },
});
const DARK_MODE = "feat(web): add dark mode to the settings page";

describe("the note about a turn", () => {
  it("has the title of the plan, what the agent said was done, and the files", () => {
    const one = only(
      turn(
        "Implement the following plan:\n\n# Fix: Requests flood the backend\n\n## Context\n\nThe page sends 50 requests a second because `useApi()` returns a new object on every render.\n\n## Changes\n- Use `useMemo`",
        used("Read", { file_path: "/app/src/use-api.ts" }, { files: [{ path: "src/use-api.ts", kind: "read" }] }),
        edited("src/use-api.ts", "return {}", "return useMemo(() => ({}))"),
        ran("npm test", "Tests  3 failed | 117 passed (120)", 1),
        edited("src/use-api.ts", "x", "y\nz"),
        ran("npm test", "Tests  120 passed (120)"),
        said(
          "The request flood is fixed. `useApi()` now returns the same object on every render, so the page sends one request per change.\n\n**Changes**\n- Wrapped the returned object of `useApi()` in `useMemo`\n\nAll 120 tests pass.",
        ),
      ),
    );
    expect(one).toMatchObject({
      type: "bugfix",
      title: "Fix: Requests flood the backend",
      concepts: ["problem-solution", "what-changed"],
      files: ["src/use-api.ts"],
      evidence: ["p1", "m1", "t4"],
    });
    expect(one.narrative).toContain("`useApi()` now returns the same object on every render");
    expect(one.narrative).toMatch(/Changed 1 file \(\+3 −2\): use-api\.ts\.$/);
    expect(one.facts).not.toEqual([]);
    expect(one.facts.join()).not.toContain("tests");
  });

  it.each<[name: string, evidence: TurnEvidence, type: string, title: string, origin: string]>([
    [
      "a commit's subject",
      turn(
        "commit this",
        edited("src/theme.ts"),
        ran(`git commit -m '${DARK_MODE}'`, `[main abc1234] ${DARK_MODE}`),
        committed("abc1234", DARK_MODE),
        said("Committed as `abc1234`."),
      ),
      "feature",
      "Add dark mode to the settings page",
      "assistant",
    ],
    [
      "the subject of a bookkeeping commit, without anything better",
      turn(
        "Please bump",
        edited("plugin.json"),
        ran("git commit -m 'Bump to 0.2.0 for the flat layout'", "[main abc1234] Bump to 0.2.0 for the flat layout"),
        committed("abc1234", "Bump to 0.2.0 for the flat layout"),
        said("Done."),
      ),
      "change",
      "Bump to 0.2.0 for the flat layout",
      "assistant",
    ],
    [
      "the agent's words, not the prompt",
      turn(
        "this should be hidden in cloud mode",
        edited("src/summary.tsx"),
        said("Done. The score card is now hidden in cloud mode, because `isCloud` is checked before it is rendered."),
      ),
      "feature",
      "The score card is now hidden in cloud mode, because isCloud is checked before it is rendered",
      "assistant",
    ],
    [
      "the offer that was accepted",
      answering(
        turn("yes", edited("src/upload.ts"), said("Done.")),
        "The upload stops when the network drops. Want me to add a retry to the upload?",
      ),
      "feature",
      "Add a retry to the upload",
      "assistant",
    ],
    [
      "the request, without politeness",
      turn("ok, can you please rename the config folder to settings", edited("src/settings.ts"), said("Done!")),
      "refactor",
      "Rename the config folder to settings",
      "user",
    ],
    [
      "a pull request",
      turn("pr it", ran('gh pr create --title "Add dark mode" --body "x"', "https://github.com/a/b/pull/7")),
      "change",
      "Opened PR #7: Add dark mode",
      "tool",
    ],
    [
      "what was fixed",
      turn(
        "Completed todos come back after a reload. Find out why and fix it.",
        ran("npm test", "1 test failed", 1),
        edited("src/store.js"),
        ran("npm test", "12 tests passed"),
        said("Fixed: `save()` stored only the titles, so `done` was lost on reload."),
      ),
      "bugfix",
      "save() stored only the titles, so done was lost on reload",
      "assistant",
    ],
  ])("is titled by %s", (_, evidence, type, title, origin) => {
    expect(only(evidence)).toMatchObject({ type, title, origin });
  });

  it.each([
    ["fix: stop the flicker of the header", "bugfix"],
    ["feat: add a header with the total", "feature"],
    ["perf: read the header only once", "refactor"],
    ["chore: move the header to its file", "change"],
  ])("of a turn that committed %j is a %s", (subject, type) => {
    const commit = [ran(`git commit -m '${subject}'`, `[main abc1234] ${subject}`), committed("abc1234", subject)];
    expect(only(turn("commit", edited("src/header.ts"), ...commit)).type).toBe(type);
  });

  it("takes the reason from the commit message, without trailers", () => {
    const subject = "fix(ci): use a token of the robot account";
    const message = `${subject}\n\nThe default token does not start other workflows.\n\nCo-Authored-By: x <x@y.z>`;
    const one = only(
      turn(
        "commit",
        edited("src/release.ts"),
        ran(`git commit -m "$(cat <<'EOF'\n${message}\nEOF\n)"`, `[main abc1234] ${subject}`),
        committed("abc1234", subject),
      ),
    );
    expect(one).toMatchObject({
      title: "Use a token of the robot account",
      narrative: "The default token does not start other workflows. Changed 1 file (+1 −1): release.ts.",
      facts: [`Commit abc1234: ${subject}`],
    });
  });

  it("is a discovery if nothing was changed, with the findings as facts", () => {
    const evidence = turn(
      "why is the list so slow?",
      said("Maybe the cache is too small. Let me check the query log."),
      said(
        "The list is slow because `loadAll()` opens the database file again for every row.\n\n- `loadAll()` in `src/list.ts` calls `open()` inside the loop, so 500 rows mean 500 opened files.\n- The cache in `cache.ts` is never used, because its key contains the current time.",
      ),
    );
    const one = only(evidence);
    expect(one).toMatchObject({
      type: "discovery",
      title: "The list is slow because loadAll() opens the database file again for every row",
      concepts: ["how-it-works"],
      evidence: ["p1", "m2"],
      origin: "assistant",
    });
    expect(one.facts).not.toEqual([]);
    const { learned, completed } = extractTurn(evidence).summary;
    expect(learned).toContain("The list is slow because `loadAll()` opens the database file again for every row.");
    expect(completed).toBe("");
  });

  it("has the fixes that a compaction summary lists", () => {
    const text =
      "Summary:\n1. Primary Request and Intent:\n   Retry uploads\n\n4. Errors and fixes:\n   - **Uploads were sent twice**: the queue was read before the file was locked.\n\n7. Pending Tasks:\n   - Document the queue file";
    const steps = [edited("src/upload.ts"), said(text, { role: "summary" }), said("Uploads are now retried.")];
    expect(only(turn("retry the uploads", ...steps)).facts).toContain(
      "Uploads were sent twice: the queue was read before the file was locked.",
    );
  });
});

describe("no note", () => {
  it.each<[name: string, evidence: TurnEvidence]>([
    [
      "reading",
      turn(
        "have a look",
        used("Read", { file_path: "/app/a" }, { files: [{ path: "a", kind: "read" }] }),
        ran("git status"),
        said("I have read `a.ts`."),
      ),
    ],
    ["passing tests", turn("run the tests", ran("npm test", "Tests  120 passed (120)"), said("All 120 tests pass."))],
    [
      "failing tests",
      turn("run the tests", ran("npm test", "Tests  2 failed | 5 passed (7)", 1), said("Two tests fail.")),
    ],
    [
      "a compile error that was fixed",
      turn(
        "check the types",
        ran("npm run lint", "src/a.ts(3,1): error TS2304: Cannot find name 'x'", 1),
        ran("npm run lint", "ok"),
        said("The types are clean now."),
      ),
    ],
    [
      "a command that worked after another one",
      turn(
        "run the tests",
        ran("rtk bun run test", "error: unrecognized subcommand 'bun'", 2),
        ran("bun run test", "ok"),
        said("The tests pass."),
      ),
    ],
    ["changed files that no words tell about", turn("yes", edited("src/a.ts"), edited("src/b.ts", "1\n2"))],
    ["a line in the changelog", turn("add it to the changelog", edited("CHANGELOG.md"), said("Added a line."))],
    [
      "the agent's own files",
      turn("go on", edited("/home/me/.claude/plans/x.md"), said("The plan is written to the file.")),
    ],
    [
      "a temporary status",
      turn("ready to merge?", said("PR #12 is green and mergeable. All checks have passed, `main` has not moved.")),
    ],
    [
      "what a tool printed",
      turn(
        "look around please",
        ran("cat notes.txt", "The list is slow because `loadAll()` opens the database file again for every row."),
        said("I looked around and read the notes."),
      ),
    ],
  ])("is made of %s", (_, evidence) => {
    expect(observe(evidence)).toEqual([]);
  });
});

describe("texts in other languages", () => {
  const said1 = said(
    "Ich habe die Summe um die Steuer ergänzt. Die Ursache für die falsche Summe war, dass `total()` die Rabatte zweimal abgezogen hat.",
  );

  it("give memory from commits and titles only, never from sentences", () => {
    const ask = "Zeig die Summe im Warenkorb auch mit Steuer an.";
    const commit = "feat: Summe mit Steuer anzeigen";
    expect(only(turn(ask, edited("src/cart.ts"), said1))).toMatchObject({
      title: "Zeig die Summe im Warenkorb auch mit Steuer an",
      facts: [],
      origin: "user",
    });
    const steps = [ran(`git commit -m '${commit}'`, `[main abc1234] ${commit}`), committed("abc1234", commit)];
    const both = turn(ask, edited("src/cart.ts"), ...steps, said1);
    expect(only(both)).toMatchObject({ type: "feature", title: "Summe mit Steuer anzeigen" });
    expect(extractTurn(both).summary).toMatchObject({ learned: "", nextSteps: "" });
    expect(observe(turn("Warum ist die Summe im Warenkorb falsch?", said1))).toEqual([]);
  });
});

describe("the weights", () => {
  afterEach(() => vi.unstubAllEnvs());

  const evidence = turn(
    "Make the list faster",
    edited("src/list.ts"),
    used("TodoWrite", { todos: [{ content: "Write the docs", status: "pending" }] }),
    said("Added an index to the table `rows`, so that the list is loaded with a single query."),
  );

  it.each(["missing", "damaged"])("may be %s: memory then comes from structure only", (state) => {
    expect(observe(evidence)).toMatchObject([{ origin: "assistant" }]);
    const path = join(mkdtempSync(join(tmpdir(), "c-mem-weights-")), "model.bin");
    if (state === "damaged") writeFileSync(path, "not a model");
    vi.stubEnv("C_MEM_SENTENCE_MODEL", path);
    const { observations, summary } = extractTurn(evidence);
    expect(observations).toMatchObject([{ title: "Make the list faster", facts: [], origin: "user" }]);
    expect(summary).toMatchObject({
      completed: "Changed 1 file (+1 −1): list.ts.",
      nextSteps: "To do: Write the docs",
    });
  });
});

describe("the summary", () => {
  it("has the eight fields", () => {
    const { summary } = extractTurn(
      turn(
        "Please fix the login page. Never store the token in plain text.",
        used("Read", { file_path: "/app/src/login.ts" }, { files: [{ path: "src/login.ts", kind: "read" }] }),
        used("Grep", { pattern: "token" }),
        used("TaskCreate", { subject: "Write the docs" }, { output: '{"task":{"id":"1"}}' }),
        ran("npm run lint", "src/login.ts:3 Unexpected any in the code", 1),
        ran("npm run lint:fix"),
        ran("npm run lint"),
        edited("src/token.ts"),
        said(
          "The login page gets its token again.\n\n**Changes**\n- Added `await` to `readToken()` so that the login page gets the token\n\nWant me to open a PR?",
        ),
      ),
    );
    expect(summary).toEqual({
      request: "Please fix the login page. Never store the token in plain text.",
      investigated: "Read src/login.ts. Searched for “token”.",
      learned: "",
      completed: expect.stringMatching(/Added `await` to `readToken\(\)` .* Changed 1 file \(\+1 −1\): token\.ts\.$/),
      nextSteps: "To do: Write the docs",
      filesRead: ["src/login.ts"],
      filesEdited: ["src/token.ts"],
      notes:
        "Decided: Never store the token in plain text. `npm run lint` failed (Unexpected any in the code), then passed after `npm run lint:fix`.",
      evidence: ["p1", "m1", "t7"],
    });
  });

  it("says that a turn goes on", () => {
    const evidence = turn("go", said("I start."), ran("npm run build"));
    evidence.prompt.state = "running";
    expect(extractTurn(evidence).summary.notes).toBe("In progress: the turn had not ended when this was written.");
  });
});
