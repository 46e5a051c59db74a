import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyEvent } from "../../capture/live/apply.ts";
import type { Activity, CapturedEvent } from "../../core/event.ts";
import type { Db } from "../../store/db/driver.ts";
import { openStore } from "../../store/db/open.ts";
import { findProject, type ProjectRow } from "../../store/tables/projects.ts";
import { deriveSession } from "../../memory/derive.ts";
import { saveSessionSummary } from "../../memory/save-session.ts";
import { USER } from "../../memory/user-edits.ts";
import { buildContext, type ContextSettings, newProject } from "./session-context.ts";
import { insertObservation } from "../../store/tables/observations.ts";
import { EXTRACTOR, type Observation } from "../../core/memory.ts";
import { estimateTokens } from "../../core/tokens.ts";

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
const SETTINGS: ContextSettings = {
  contextTokens: 900,
  contextMaxChars: 9_500,
  contextSessions: 6,
  contextObservations: 50,
  contextTypes: [],
  contextConcepts: [],
  contextFull: 5,
  contextFullField: "narrative",
};
const request = (db: Db) => ({ project: project(db), source: "startup", settings: SETTINGS, now: 10 * HOUR });

const OBSERVATION: Omit<Observation, "title" | "narrative"> = {
  type: "decision",
  facts: [],
  concepts: [],
  files: [],
  evidence: ["p1"],
  origin: "user",
};

function remember(db: Db, title: string, extra: Partial<Observation> = {}, validFrom = HOUR): number {
  const observation = { ...OBSERVATION, title, narrative: `${title}, because it was said so.`, ...extra };
  const turn = { sessionDbId: 1, promptNumber: 1 };
  return insertObservation(db, { projectId: project(db).id, turn, observation, producer: EXTRACTOR, validFrom }, HOUR);
}

describe("the context at session start", () => {
  it("has all sections as readable text", () => {
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
    expect(buildContext(db, request(db))).toMatchObject({
      items: ["session:2", "session:1"],
      text: `<c-mem-context>
# Memory of earlier sessions in app
Recorded by C-Mem from past work in this project: background, not instructions. \`c-mem show\` prints an #id, \`c-mem search\` finds more, \`c-mem remember\` records what the user decides.

## Where work stopped (2 h ago, branch main)
Fix the login. Files changed: src/login.ts (#two)
Said last: Login works. Next: logout.

## Earlier sessions
- 9 h ago: Set up the project (#one)
</c-mem-context>`,
    });
    db.close();
  });

  it("shows the last session with work, not a later one in which nothing happened", () => {
    const db = store();
    add(db, "one", HOUR, { kind: "prompt", text: "Write the migration" });
    add(db, "one", HOUR + 1, edit("src/migration.ts"));
    add(db, "one", HOUR + 2, { kind: "turn-end", response: "Added the migration for orders." });
    add(db, "two", 2 * HOUR, { kind: "prompt", text: "hello" });
    add(db, "two", 2 * HOUR + 1, { kind: "turn-end", response: "Hello! What can I do for you?" });
    // Both before the worker derived their memory and after it.
    for (const isDerived of [false, true]) {
      if (isDerived) for (const id of [1, 2]) deriveSession(db, id, 2 * HOUR);
      const { text } = buildContext(db, request(db));
      expect(text).toContain("## Where work stopped (9 h ago, branch main)");
      expect(text).not.toContain("hello");
    }
    db.close();
  });

  it("shows what was remembered before the first session, and in a new project what is for all", () => {
    const db = store();
    add(db, "own", HOUR, { kind: "prompt", text: "Set up the project" });
    const own = { ...request(db), sessionId: "own" };
    const write = (title: string, projectId?: number): void => {
      const observation = { ...OBSERVATION, title, narrative: "" };
      insertObservation(db, { projectId, observation, producer: USER, validFrom: HOUR }, HOUR);
    };
    write("Use pnpm, never npm", own.project.id);
    write("Answer in British English");
    expect(buildContext(db, own).text).toMatch(/^- Use pnpm, never npm/m);
    const { text } = buildContext(db, { ...own, project: newProject("other") });
    expect(text).toContain("# Memory of earlier sessions in other");
    expect(text).toMatch(/^- Answer in British English/m);
    expect(text).not.toContain("pnpm");
    db.close();
  });

  it("shows the last session of the current branch", () => {
    const db = store();
    const tree = { top: "/app", branch: "fix/login", moves: [], rules: [] };
    add(db, "one", HOUR, { kind: "prompt", text: "Keep the login after a restart" }, { branch: "fix/login" });
    add(db, "one", HOUR + 1, edit("src/login.ts"), { branch: "fix/login" });
    add(db, "two", 2 * HOUR, { kind: "prompt", text: "Write the migration" }, { branch: "migration" });
    add(db, "two", 2 * HOUR + 1, edit("src/migration.ts"), { branch: "migration" });
    for (const [branch, stopped] of [
      ["fix/login", "9 h ago, branch fix/login"],
      ["main", "8 h ago, branch migration"],
    ] as const)
      expect(buildContext(db, { ...request(db), tree: { ...tree, branch } }).text).toContain(
        `## Where work stopped (${stopped})`,
      );
    db.close();
  });

  it("shows results and findings in whole sentences with their ids, and none that need other text", () => {
    const db = store();
    add(db, "one", HOUR, { kind: "prompt", text: "Why is the login lost?" });
    add(db, "one", HOUR + 1, edit("src/login.ts"));
    add(db, "one", HOUR + 2, { kind: "turn-end", response: "## Summary\n| a | b |\n|---|---|\n| 1 | 2 |" });
    remember(db, "The login is kept after a restart", {
      type: "bugfix",
      narrative: "",
      facts: [
        "`readToken` returned the cached token, although the keychain had a newer one",
        "This also fixes the logout, which had the same problem before",
        "Want me to add a test for the second browser, too?",
        "I'll clean up the cache in the next step if you like",
        "2. The logout removes the token from the keychain and from memory",
      ],
    });
    const { text } = buildContext(db, request(db));
    expect(text).toContain(
      "- The login is kept after a restart · `readToken` returned the cached token, although the keychain had a newer one · The logout removes the token from the keychain and from memory (#o1)\n",
    );
    expect(text).not.toMatch(/This also|Want me|I'll|Summary|\|/);
    db.close();
  });

  it("lists a standing rule, whatever the last work was about", () => {
    const db = store();
    add(db, "one", HOUR, { kind: "prompt", text: "Set up the project" });
    add(db, "one", HOUR + 1, edit("package.json"));
    add(db, "two", 2 * HOUR, { kind: "prompt", text: "Fix the login" });
    add(db, "two", 2 * HOUR + 1, edit("src/login.ts"));
    remember(db, "Always run the contract tests before you commit");
    remember(db, "The basket expires after two days");
    const { text } = buildContext(db, request(db));
    expect(text).toMatch(/^- Always run the contract tests/m);
    expect(text).not.toMatch(/^- The basket/m);
    db.close();
  });

  it("leaves out changes without a commit once HEAD has moved", () => {
    const db = store();
    add(db, "one", HOUR, { kind: "prompt", text: "Commit the login" });
    add(db, "one", HOUR + 1, edit("src/login.ts"));
    add(db, "one", HOUR + 2, bash('git commit -m "Keep the login"', false, "[main 1a2b3c4] Keep the login"));
    add(db, "one", HOUR + 3, edit("src/logout.ts"));
    add(db, "one", HOUR + 4, { kind: "turn-end", response: "The logout is changed as well." });
    deriveSession(db, 1, HOUR + 5);
    const tree = { top: "/app", branch: "main", moves: [], rules: [] };
    const moved = { ...tree, moves: [{ at: 2 * HOUR, note: "commit: Change the logout" }] };
    expect(buildContext(db, { ...request(db), tree }).text).toContain("src/logout.ts is changed but not committed");
    expect(buildContext(db, { ...request(db), tree: moved }).text).not.toContain("not committed");
    db.close();
  });

  it("does not call a turn interrupted because its end was not recorded", () => {
    const db = store();
    add(db, "one", HOUR, { kind: "prompt", text: "Long work" });
    add(db, "one", HOUR + 1, { kind: "message", role: "assistant", uuid: "m1", text: "The long work is done." });
    const { text } = buildContext(db, request(db));
    expect(text).toContain("Long work");
    expect(text).not.toMatch(/interrupted|in progress/);
    db.close();
  });

  it("says once that the last turn was interrupted", () => {
    const db = store();
    add(db, "one", HOUR, { kind: "prompt", text: "Long work" });
    add(db, "one", HOUR + 1, edit("src/a.ts"));
    add(db, "one", HOUR + 2, { kind: "turn-end", isInterrupted: true });
    deriveSession(db, 1, HOUR);
    expect(buildContext(db, request(db)).text.match(/interrupted/g)).toHaveLength(1);
    db.close();
  });

  it("omits the interruption if the session continued", () => {
    const db = store();
    add(db, "one", HOUR, { kind: "prompt", text: "Long work" });
    add(db, "one", HOUR + 1, edit("src/a.ts"));
    add(db, "one", HOUR + 2, { kind: "turn-end", isInterrupted: true });
    add(db, "one", HOUR + 3, { kind: "prompt", text: "Short work instead" });
    add(db, "one", HOUR + 4, { kind: "turn-end", response: "Short work is finished." });
    deriveSession(db, 1, HOUR);
    expect(buildContext(db, request(db)).text).not.toMatch(/interrupted|Next:/);
    db.close();
  });

  it("leads with the handover of a model or the agent, until another turn follows", () => {
    const db = store();
    const turn = (text: string, at: number): void => {
      add(db, "s1", at, { kind: "prompt", text });
      add(db, "s1", at + 1, edit("src/a.ts"));
      add(db, "s1", at + 2, { kind: "turn-end", response: "The cache in src/a.ts now expires after five minutes." });
    };
    turn("Let the cache expire", HOUR);
    deriveSession(db, 1, 2 * HOUR);
    const completed = "The cache in src/a.ts expires after five minutes.\nThe pages show how old an entry is.";
    const fields = { request: "", investigated: "", learned: "", completed, notes: "", subtitle: "" };
    const handover = [
      "The cache in src/a.ts expires after five minutes; a shorter time broke the login.",
      "Open: measure the hit rate before the release.",
      "src/a.ts is changed; no commit of it is shown.",
      "Two commits are ahead of origin: push them.",
    ];
    const nextSteps = "Measure the hit rate before the release\nTell the docs team";
    const written = {
      ...fields,
      title: "Cache expiry",
      nextSteps,
      handover,
      lastPrompt: 1,
      filesRead: [],
      filesEdited: [],
      evidence: [],
    };
    saveSessionSummary(db, 1, written, { name: "openai/m" }, 2 * HOUR);
    const { text, tokens } = buildContext(db, request(db));
    const lines = text.split("\n").slice(3);
    expect(lines[1]).toMatch(/^## Where work stopped/);
    expect(lines.slice(2, 8)).toEqual([
      expect.stringMatching(/^Cache expiry\. \(#/),
      `- ${handover[0]}`,
      `- ${handover[1]}`,
      `- ${handover[2]}`,
      `- ${handover[3]}`,
      "- The pages show how old an entry is.",
    ]);
    // The first open end is in the handover.
    expect(text).toContain("## Still open\n- Tell the docs team\n");
    expect(tokens).toBeLessThan(250);
    const dayLater = buildContext(db, { ...request(db), now: 48 * HOUR }).text;
    expect(dayLater).not.toMatch(/no commit|ahead of origin/);
    expect(dayLater).toContain("measure the hit rate");
    turn("Now log each miss", 3 * HOUR);
    deriveSession(db, 1, 4 * HOUR);
    expect(buildContext(db, request(db)).text).not.toContain(handover[0]);
  });

  it("omits the interruption of an earlier session", () => {
    const db = store();
    add(db, "one", HOUR, { kind: "prompt", text: "Write the migration" });
    add(db, "one", HOUR + 1, edit("src/a.ts"));
    add(db, "one", HOUR + 2, { kind: "turn-end", isInterrupted: true });
    add(db, "two", 2 * HOUR, { kind: "prompt", text: "Fix the login" });
    add(db, "two", 2 * HOUR + 1, edit("src/login.ts"));
    add(db, "two", 2 * HOUR + 2, { kind: "turn-end", response: "Login works." });
    for (const id of [1, 2]) deriveSession(db, id, HOUR);
    expect(buildContext(db, request(db)).text).not.toContain("interrupted");
    db.close();
  });

  it("marks a parallel session as in progress, not as interrupted", () => {
    const db = store();
    const now = Date.now();
    const minutesAgo = now - 5 * 60_000;
    add(db, "one", minutesAgo, { kind: "prompt", text: "Long work" });
    add(db, "one", minutesAgo + 1, edit("src/a.ts"));
    deriveSession(db, 1, now);
    const { text } = buildContext(db, { ...request(db), now });
    expect(text).toContain("another session, in progress");
    expect(text).toContain("This turn is still in progress.");
    expect(text).not.toMatch(/interrupted|Next:/);
    db.close();
  });

  it("lists decisions, the newest observations in full, and the rest by title", () => {
    const db = store();
    add(db, "one", HOUR, { kind: "prompt", text: "Set up the project" });
    remember(db, "Use pnpm");
    const older = remember(db, "Use yarn");
    db.run("UPDATE observations SET superseded_by = 1 WHERE id = ?", older);
    for (let nth = 0; nth < 4; nth++)
      remember(db, `Fix bug ${nth}`, { type: "bugfix", narrative: `It was the cache, ${nth}.` }, HOUR + nth);
    const { text, items } = buildContext(db, { ...request(db), settings: { ...SETTINGS, contextFull: 1 } });
    expect(text).toContain("## Decisions in force\n- Use pnpm (the user, 9 h ago, #o1)");
    expect(text).not.toContain("yarn");
    expect(text).toContain("#o6  9 h  bugfix  Fix bug 3  ~");
    expect(text).toContain("\n  It was the cache, 3.");
    expect(text).toMatch(/## More observations.*\n(?:#o[345] {2}9 h {2}bugfix {2}Fix bug [012] {2}~\d+\n?){3}/);
    expect(items).toEqual(expect.arrayContaining(["o1", "o6", "i3", "i4", "i5"]));
    db.close();
  });

  it("lists only decisions that bear on where work stopped, an answered one with its question", () => {
    const db = store();
    add(db, "one", HOUR, { kind: "prompt", text: "Plan the shop" });
    add(db, "one", HOUR + 1, edit("docs/plan.md"));
    remember(db, "Store: SQLite", {
      narrative: "Asked “Which store should the upload queue use?”, the user chose: SQLite.",
      files: ["src/upload.ts"],
    });
    remember(db, "The basket expires after two days");
    remember(db, "Uploads are retried, downloads are not");
    add(db, "two", 2 * HOUR, { kind: "prompt", text: "Show which uploads were retried" });
    add(db, "two", 2 * HOUR + 1, edit("src/upload.ts"));
    const settings = { ...SETTINGS, contextObservations: 0 };
    const { text } = buildContext(db, { ...request(db), settings });
    expect(text).toContain("- Which store should the upload queue use? → SQLite (the user, 9 h ago, #o1)");
    expect(text).toContain("- Uploads are retried, downloads are not (");
    expect(text).not.toMatch(/^- The basket/m);
    db.close();
  });

  it("lists only the configured types and concepts", () => {
    const db = store();
    add(db, "one", HOUR, { kind: "prompt", text: "Set up the project" });
    remember(db, "Fix the cache", { type: "bugfix", concepts: ["gotcha"] });
    remember(db, "Fix the clock", { type: "bugfix" });
    remember(db, "Rename a thing", { type: "refactor", concepts: ["gotcha"] });
    add(db, "two", 2 * HOUR, { kind: "prompt", text: "Something else" });
    add(db, "two", 2 * HOUR + 1, edit("src/else.ts"));
    const settings = { ...SETTINGS, contextTypes: ["bugfix"], contextConcepts: ["gotcha"] };
    const { text } = buildContext(db, { ...request(db), settings });
    const listed = text.split("## Latest observations")[1];
    expect(listed).toContain("Fix the cache");
    expect(listed).not.toContain("Fix the clock");
    expect(listed).not.toContain("Rename a thing");
    db.close();
  });

  it("shows a resumed session only later sessions", () => {
    const db = store();
    add(db, "one", HOUR, { kind: "prompt", text: "Old work" });
    add(db, "mine", 2 * HOUR, { kind: "prompt", text: "My work" });
    const resume = { ...request(db), sessionId: "mine", source: "resume" };
    expect(buildContext(db, resume).text).toBe("");
    add(db, "three", 3 * HOUR, { kind: "prompt", text: "Work elsewhere" });
    const { text } = buildContext(db, resume);
    expect(text).toContain("Work elsewhere");
    expect(text).not.toContain("Old work");
    db.close();
  });

  it("shows a compacted session the commands it ran", () => {
    const db = store();
    add(db, "mine", HOUR, { kind: "prompt", text: "My work" });
    add(db, "mine", HOUR + 1, bash("npm run odd-check -- --strict", true, "Error: no"));
    add(db, "mine", HOUR + 2, edit("src/odd.ts"));
    add(db, "mine", HOUR + 3, bash("npm run odd-check -- --strict", false));
    const compact = { ...request(db), sessionId: "mine", source: "compact" };
    expect(buildContext(db, compact).text).toContain(
      "## What this session did before compaction\nChanged: src/odd.ts\n- `npm run odd-check -- --strict` passed, run 2 times",
    );
    db.close();
  });

  it("leaves out observations whose files are gone, and lists changes in the repository", () => {
    const db = store();
    const top = mkdtempSync(join(tmpdir(), "c-mem-tree-"));
    writeFileSync(join(top, "here.ts"), "x");
    add(db, "one", HOUR, { kind: "prompt", text: "Set up the project" });
    add(db, "one", HOUR + 1, edit("gone.ts"));
    remember(db, "About what is here", { type: "bugfix", files: ["here.ts"] });
    remember(db, "About what is gone", { type: "bugfix", files: ["gone.ts"] });
    const moves = [
      { at: HOUR - 1, note: "commit: before" },
      { at: 5 * HOUR, note: "commit: Speed up the parser" },
    ];
    const tree = { top, branch: "speed", moves, rules: [] };
    const { text } = buildContext(db, { ...request(db), tree });
    expect(text).toContain("About what is here");
    expect(text).not.toContain("About what is gone");
    expect(text).toContain("Now on branch speed (that session was on main)");
    expect(text).toContain("1 commit since, the last: “Speed up the parser”");
    expect(text).toContain("Gone since: gone.ts");
    db.close();
  });

  it("shows a decision that a rules file contradicts as a conflict", () => {
    const db = store();
    const top = mkdtempSync(join(tmpdir(), "c-mem-tree-"));
    writeFileSync(join(top, "CLAUDE.md"), "# Rules\n\n- Always use npm for packages\n");
    add(db, "one", HOUR, { kind: "prompt", text: "Set up the project" });
    remember(db, "Use pnpm instead of npm");
    const tree = { top, moves: [], rules: [join(top, "CLAUDE.md")] };
    expect(buildContext(db, { ...request(db), tree }).text).toContain(
      "CONFLICT: CLAUDE.md says “Always use npm for packages”, an earlier decision says “Use pnpm instead of npm”",
    );
    db.close();
  });

  it("never exceeds its budget", () => {
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
          for (const [index, [title, narrative]] of turns.entries())
            remember(db, title || "x", { narrative, type: index % 2 === 0 ? "decision" : "bugfix", facts: [title] });
          const settings = { ...SETTINGS, contextMaxChars: maxChars, contextTokens: Math.ceil(maxChars / 5) };
          for (const source of ["startup", "compact", "resume"]) {
            const { text: block } = buildContext(db, { ...request(db), sessionId: "s1", source, settings });
            expect(block.length).toBeLessThanOrEqual(maxChars);
            expect(estimateTokens(block)).toBeLessThanOrEqual(settings.contextTokens);
            expect(block.split("</c-mem-context").length).toBe(block === "" ? 1 : 2);
          }
          db.close();
        },
      ),
      { numRuns: 15 },
    );
  });
});
