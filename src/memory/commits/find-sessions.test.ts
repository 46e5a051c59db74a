import { describe, expect, it } from "vitest";
import { bash, DAY, MINUTE, prompt, said, type Seeded, seedStore, START, touch } from "../../../test/seed.ts";
import type { Activity } from "../../core/event.ts";
import { type CommitFacts, namedSessions, pullRequestOf } from "./commit-facts.ts";
import { findSessions } from "./find-sessions.ts";
import { patchFiles } from "./read-commits.ts";

const SHA = "0123456789abcdef0123456789abcdef01234567";
const ID = "0b7e2a54-1111-4222-8333-444455556666";
const LATER = START + 60 * MINUTE;

function commit(facts: Partial<CommitFacts> = {}): CommitFacts {
  const times = { authoredAt: LATER, committedAt: LATER };
  return { sha: SHA, author: "Anna", ...times, subject: "Keep the done flag", body: "", files: [], ...facts };
}

const writes = (path: string, content: string): Activity => ({
  kind: "tool-use",
  name: "Write",
  input: { file_path: `/app/${path}`, content },
  output: "created",
  isError: false,
  files: [{ path, kind: "create", added: 1, removed: 0 }],
});

/** [session, basis] of each link. */
function found({ db }: Seeded, facts: CommitFacts): [string, string][] {
  const names = new Map(
    db
      .all<{ id: number; session_id: string }>("SELECT id, session_id FROM sessions")
      .map((row) => [row.id, row.session_id]),
  );
  return findSessions(db, 1, facts).map(({ sessionDbId, basis }) => [names.get(sessionDbId) ?? "", basis]);
}

describe("a commit belongs to a session", () => {
  const store = seedStore();
  const { add } = store;
  const at = (minutes: number): { at: number } => ({ at: START + minutes * MINUTE });
  add("made", prompt("Commit it"), at(0));
  add("made", bash("git commit -m 'Keep the done flag'", "[main 0123456] Keep the done flag\n 1 file changed"), at(1));
  add("wrote", prompt("Write the store"), at(2));
  add("wrote", writes("src/store.js", "export function saveTodos() {\n  return everything;\n}\n"), at(3));
  add("wrote", writes("src/count.js", "({\n  a: 2,\n})\n"), at(3));
  add("wrote", writes("src/flag.js", "export const flag = readFlag();\n"), at(3));
  const part = { old_string: "console.log(text.length)", new_string: "console.debug(text.length)" };
  const partOf = { name: "Edit", input: { file_path: "/app/src/log.js", ...part } };
  add("replaced", prompt("Log less"), at(3));
  const files = [{ path: "src/log.js", kind: "edit" as const, added: 1, removed: 1 }];
  add("replaced", { kind: "tool-use", isError: false, ...partOf, files }, at(3));
  add(ID, prompt("Something"), at(4));
  add("touched", prompt("Change the docs"), at(50));
  add("touched", touch("docs/a.md"), at(58));
  add("named", prompt("Have a subagent do it"), at(59));
  add("named", said("m1", "The subagent committed fedcba9 for the parser."), { at: LATER + MINUTE });

  it.each<[string, Partial<CommitFacts>, [string, string][]]>([
    ["in which git printed its hash", {}, [["made", "output"]]],
    [
      "that made a commit it replaces: amended or rebased",
      { sha: SHA.replace(/^0/, "f"), authoredAt: START + MINUTE, replaces: new Map([["0123456", true]]) },
      [["made", "rewritten"]],
    ],
    [
      "that a trailer names",
      { sha: "a".repeat(40), subject: "x", body: `Text\n\nClaude-Session: ${ID}\n` },
      [[ID, "trailer"]],
    ],
    [
      "that wrote its lines",
      {
        sha: "b".repeat(40),
        subject: "x",
        files: [{ path: "src/store.js", added: ["export function saveTodos() {", "  return everything;", "}"] }],
      },
      [["wrote", "lines"]],
    ],
    [
      "that wrote its only line, if that is short",
      {
        sha: "1".repeat(40),
        subject: "x",
        files: [{ path: "src/count.js", added: ["  a: 2,"] }],
      },
      [["wrote", "lines"]],
    ],
    [
      "that replaced a part of its line, if the agent logged no patch",
      {
        sha: "3".repeat(40),
        subject: "x",
        files: [{ path: "src/log.js", added: ["  if (verbose) console.debug(text.length);"] }],
      },
      [["replaced", "lines"]],
    ],
    [
      "of which it has a whole edit, between many other lines",
      {
        sha: "2".repeat(40),
        subject: "x",
        files: [
          { path: "src/flag.js", added: ["export const flag = readFlag();"] },
          { path: "src/other.js", added: Array.from({ length: 30 }, (_, index) => `by hand ${index}`) },
        ],
      },
      [["wrote", "lines"]],
    ],
    [
      "that last changed its files, if the lines are not known",
      { sha: "c".repeat(40), subject: "x", files: [{ path: "docs/a.md" }] },
      [["touched", "files"]],
    ],
    [
      "that names it while it works",
      { sha: `fedcba9${"0".repeat(33)}`, subject: "x", files: [{ path: "src/parser.js" }] },
      [["named", "mention"]],
    ],
  ])("%s", (_name, facts, expected) => {
    expect(found(store, commit(facts))).toEqual(expected);
  });

  it.each<[string, Partial<CommitFacts>]>([
    [
      "of other lines in the same file",
      { files: [{ path: "src/store.js", added: ["export const byHand = true;", "export const alsoByHand = 1;"] }] },
    ],
    [
      "that was made before the change",
      {
        authoredAt: START + 2 * MINUTE,
        committedAt: START - DAY,
        files: [{ path: "src/store.js", added: ["export function saveTodos() {"] }],
      },
    ],
    [
      "of a line that the file had before",
      {
        files: [
          {
            path: "src/store.js",
            added: ["export function saveTodos() {", "by hand it is"],
            before: ["export function saveTodos() {"],
          },
        ],
      },
    ],
    ["that only deletes lines", { files: [{ path: "docs/a.md", added: [] }] }],
    ["of a short line that the session did not write", { files: [{ path: "src/count.js", added: ["  a: 3,"] }] }],
    ["of a bracket", { files: [{ path: "src/count.js", added: ["})"] }] }],
    [
      "with the subject of one that is still there",
      { authoredAt: START + MINUTE, subject: "Keep the done flag", replaces: new Map([["0123456", false]]) },
    ],
    ["with the subject of one that git does not have", { authoredAt: START + MINUTE, subject: "Keep the done flag" }],
    ["at which a shallow clone begins", { isCut: true, files: [{ path: "docs/a.md" }] }],
    ["whose text names the session", { body: `Session: ${ID}\n\nSee the other one.\n` }],
    ["with a note about the session", { body: `Note: see ${ID} for the reasons\nReverts-Work-Of: ${ID}\n` }],
    ["long after the files were changed", { authoredAt: LATER + 9 * DAY, files: [{ path: "docs/a.md" }] }],
    ["in which the file is one of many", { files: ["docs/a.md", "b", "c", "d", "e"].map((path) => ({ path })) }],
    ["of a bot", { author: "release[bot]", files: [{ path: "docs/a.md" }] }],
  ])("but not a commit %s", (_name, facts) => {
    expect(found(store, commit({ sha: "d".repeat(40), subject: "x", ...facts }))).toEqual([]);
  });
});

it("trailers and subjects name sessions and pull requests", () => {
  expect(
    namedSessions(commit({ body: `See ${ID}\n\nEntire-Session: 2026-01-31-${ID}\nCo-Authored-By: A <a@b>` })),
  ).toEqual([ID]);
  expect(["Fix it (#12)", "Merge pull request #7 from me/x", "Fix #3", "Fix (#4) it"].map(pullRequestOf)).toEqual([
    12,
    7,
    undefined,
    undefined,
  ]);
});

it("a patch is read by its hunks, whatever its lines look like", () => {
  const patch = `diff --git a/src/a.ts b/src/a.ts
index 1..2 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,2 +1,3 @@
-old
-older
+new
++++ b/not/a/path
+diff --git a/x b/y
\\ No newline at end of file
diff --git a/old name b/new name
similarity index 90%
rename from old name
rename to new name
@@ -4,0 +5 @@
+added
diff --git "a/t\\303\\244b" "b/t\\303\\244b"
new file mode 100644
--- /dev/null
+++ "b/t\\303\\244b"
@@ -0,0 +1 @@
+x
diff --git a/p.png b/p.png
Binary files a/p.png and b/p.png differ
`;
  expect(patchFiles(patch)).toEqual([
    { path: "src/a.ts", added: ["new", "+++ b/not/a/path", "diff --git a/x b/y"] },
    { path: "new name", from: "old name", added: ["added"] },
    { path: "täb", added: ["x"] },
    { path: "p.png" },
  ]);
});
