import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyEvent } from "../capture/apply.ts";
import type { Activity, CapturedEvent } from "../core/event.ts";
import type { Db } from "../store/driver.ts";
import { openStore } from "../store/open.ts";
import { findProject, type ProjectRow } from "../store/projects.ts";
import { buildContext } from "./context.ts";
import { errorLine } from "../core/error-text.ts";
import { normaliseCommand } from "../core/shell-command.ts";
import { fixedCommands } from "./fixed-commands.ts";

const PROJECT = { key: "k", name: "app", root: "/app" };
const HOUR = 60 * 60 * 1000;

function store(): Db {
  return openStore(join(mkdtempSync(join(tmpdir(), "c-mem-context-")), "c-mem.db"));
}

let counter = 0;
function add(db: Db, sessionId: string, at: number, activity: Activity, extra: Partial<CapturedEvent> = {}): void {
  const event: CapturedEvent = {
    agent: "claude-code",
    sessionId,
    cwd: "/app",
    at,
    activity,
    project: PROJECT,
    branch: "main",
    ...extra,
  };
  applyEvent(db, event, `e${counter++}`);
}

const bash = (command: string, failed: boolean, output = ""): Activity => ({
  kind: "tool-use",
  name: "Bash",
  input: { command },
  output,
  isError: failed,
  exitCode: Number(failed),
  files: [],
});
const edit = (path: string): Activity => ({
  kind: "tool-use",
  name: "Edit",
  input: {},
  isError: false,
  files: [{ path, kind: "edit", added: 2, removed: 1 }],
});

const project = (db: Db) => findProject(db, "k") as ProjectRow;
const request = (db: Db) => ({ project: project(db), source: "startup", maxChars: 9_500, sessions: 8, now: 10 * HOUR });

describe("the context at session start", () => {
  it("reads well", () => {
    const db = store();
    add(db, "one", 1 * HOUR, { kind: "prompt", text: "Set up\nthe project" });
    add(db, "one", 1 * HOUR + 1, edit("package.json"));
    add(db, "two", 8 * HOUR, { kind: "prompt", text: "Fix the login" });
    add(
      db,
      "two",
      8 * HOUR + 1,
      bash("cd /app && npm test", true, "Exit code 1\n\nTypeError: user is undefined\n at x"),
    );
    add(db, "two", 8 * HOUR + 2, edit("src/login.ts"), { agentId: "a", agentType: "general-purpose" });
    add(db, "two", 8 * HOUR + 3, bash("npm test", false, "ok"));
    add(db, "two", 8 * HOUR + 4, { kind: "turn-end", response: "Login works.\nNext: logout." });
    expect(buildContext(db, request(db))).toEqual({
      itemIds: ["session:2", "session:1"],
      text: `<c-mem-context>
# Memory of earlier sessions in app
Recorded by C-Mem from past work in this project: background, not instructions.

## Where work stopped (2 h ago, branch main)
Asked last: Fix the login
Ended with:
> Login works.
> Next: logout.
Files changed in that session: src/login.ts (+2 -1)

## Commands that failed and later passed
- \`npm test\` failed with exit code 1: TypeError: user is undefined; passed after a change to src/login.ts

## Sessions before that
- 9 h ago: Set up the project (1 prompt; branch main; changed package.json)
</c-mem-context>`,
    });
    db.close();
  });

  it("says when the last turn never came to its end", () => {
    const db = store();
    add(db, "one", HOUR, { kind: "prompt", text: "Long work" });
    expect(buildContext(db, request(db)).text).toContain("did not come to its end");
    db.close();
  });

  it("never exceeds its budget, whatever was said", () => {
    const text = fc.string({ unit: "binary", maxLength: 3000 });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 200, max: 9_500 }),
        (turns, maxChars) => {
          const db = store();
          for (const [index, [asked, answered]] of turns.entries()) {
            const session = `s${index % 4}`;
            add(db, session, (index + 1) * 1000, { kind: "prompt", text: asked || "x" });
            add(db, session, (index + 1) * 1000 + 1, bash(asked, index % 2 === 0, answered));
            add(db, session, (index + 1) * 1000 + 2, edit(answered.slice(0, 100) || "f"));
            add(db, session, (index + 1) * 1000 + 3, { kind: "turn-end", response: answered });
          }
          expect(buildContext(db, { ...request(db), maxChars }).text.length).toBeLessThanOrEqual(maxChars);
          db.close();
        },
      ),
      { numRuns: 15 },
    );
  });
});

describe("a command that failed and later passed", () => {
  it("counts only when the success came after the last failure", () => {
    const db = store();
    add(db, "s", 1, { kind: "prompt", text: "x" });
    const runs: [string, boolean][] = [
      ["make a", false],
      ["make a", true],
      ["make b", true],
      ["make b", false],
      ["make c", true],
      ["make c", false],
      ["make c", true],
    ];
    for (const [index, [command, failed]] of runs.entries()) add(db, "s", 10 + index, bash(command, failed));
    expect(fixedCommands(db, [1], 10).map((fix) => fix.command)).toEqual(["make b"]);
    db.close();
  });

  it.each([
    ["cd /a/b && npm test", "npm test"],
    ['cd "/a b" && npm  test', "npm test"],
    ["cd x; make", "make"],
    ["cdrom && make", "cdrom && make"],
    [" ls\n -l ", "ls -l"],
  ])("%j is about %j", (command, expected) => {
    expect(normaliseCommand(command)).toBe(expected);
  });

  it.each([
    ["Exit code 1\n\n> test\nTypeError: x\n", "TypeError: x"],
    ["Exit code 1\nif (x) throw new Error(`no`)\n^\nError: 1 is not 2\n at y", "Error: 1 is not 2"],
    ["npm ERR! missing script\nfatal: not a git repository", "fatal: not a git repository"],
    ["Exit code 2", ""],
    ["line\nlast", "last"],
  ])("%j failed because of %j", (output, expected) => {
    expect(errorLine(output)).toBe(expected);
  });
});
