// Tests of `fix` (what fixed an error) and `how` (how a command is used).
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bash, DAY, ended, prompt, seedStore, START, touch } from "../../../test/seed.ts";
import { updateSearchIndex } from "../../store/fts/search-index.ts";
import { blame } from "./blame.ts";
import { findSessions } from "../search/find-sessions.ts";
import { findFixes } from "./fix.ts";
import { findUses } from "./how.ts";
import { commandForm, commandHead, commandKey, splitChain, splitCommand } from "../../core/shell-command.ts";

const HOSTILE = ["", " ", "%", '"', "'", "\0", "AND", "NEAR(", "* OR *", "a\0b", "x".repeat(100_000), "{output} : x"];

function history() {
  const seeded = seedStore();
  const { add } = seeded;
  add("one", prompt("Make the tests pass"));
  add(
    "one",
    bash(
      "cd /app && npm test 2>&1 | tail -5",
      "Exit code 1\nTypeError: user 12 is undefined at /app/src/login.ts:3:4",
      1,
    ),
  );
  add("one", bash("npm test", "Exit code 1\nTypeError: user 13 is undefined at /app/src/login.ts:9:4", 1));
  add("one", touch("src/login.ts"));
  add("one", bash("npm run codegen", "ok"));
  add("one", bash("cat src/login.ts", "TypeError: user 13 is undefined at login.ts"));
  add("one", bash("cd /app && npm test", "2 passed"));
  add("one", ended("The user was read before it was loaded."));
  add("two", prompt("Try again"));
  add("two", bash("npm start", "Exit code 1\nError: listen EADDRINUSE :::3000", 1));
  add("two", ended("The port is taken."));
  updateSearchIndex(seeded.db);
  return seeded;
}

describe("an earlier error", () => {
  it("is listed with the changes before the command passed, and the turn's last message", () => {
    const { db } = history();
    const { occurrences: found } = findFixes(db, "TypeError: user 99 is undefined at C:\\other\\login.ts:1:2", {}, 5);
    expect(found).toMatchObject([
      {
        error: "TypeError: user 13 is undefined at /app/src/login.ts:9:4",
        likeness: 1,
        times: 2,
        fixedBy: { isSameCommand: true, command: "cd /app && npm test" },
        changed: ["src/login.ts"],
        closing: "The user was read before it was loaded.",
      },
    ]);
    expect(found[0]?.between.map((use) => use.input)).toEqual(['{"command":"npm run codegen"}']);
    db.close();
  });

  it("is found by pasted output, and is unfixed if no command passed", () => {
    const { db } = history();
    const pasted = "> app@1 start\n> node .\n\nError: listen EADDRINUSE :::8080\n    at Server.listen\n";
    const { occurrences: found } = findFixes(db, pasted, {}, 5);
    expect(found).toMatchObject([{ command: "npm start", changed: [], between: [], closing: "The port is taken." }]);
    expect(found[0]?.fixedBy).toBeUndefined();
    db.close();
  });

  it("can be fixed by a similar command", () => {
    const { db, add } = history();
    add("three", prompt("Run it"));
    add("three", bash("rtk npm run check", "Exit code 2\nerror: unrecognized subcommand 'npm'", 2));
    add("three", bash("ls", "src"));
    add("three", bash("npm run check", "ok"));
    updateSearchIndex(db);
    expect(findFixes(db, "unrecognized subcommand 'npm'", {}, 5).occurrences).toMatchObject([
      { fixedBy: { isSameCommand: false, command: "npm run check" } },
    ]);
    db.close();
  });

  it("is not fixed if the same command passed without a change, or if another command passed", () => {
    const { db, add } = seedStore();
    add("lock", prompt("Update it"));
    add("lock", bash("git pull", "fatal: Unable to create '/app/.git/index.lock': File exists.", 128));
    add("lock", bash("git pull", "Already up to date."));
    add("port", prompt("Start it"));
    add("port", bash("npm start", "Error: listen EADDRINUSE :::3000", 1));
    add("port", bash("npm run build", "built"));
    updateSearchIndex(db);
    for (const error of ["Unable to create '/b/.git/index.lock': File exists.", "Error: listen EADDRINUSE :::8080"]) {
      const { occurrences } = findFixes(db, error, {}, 5);
      expect(occurrences.map(({ fixedBy, changed }) => [fixedBy, changed])).toEqual([[undefined, []]]);
    }
    db.close();
  });

  it("is fixed by a change before the hooks of the next commit pass", () => {
    const { db, add } = seedStore();
    add("one", prompt("Commit it"));
    add(
      "one",
      bash(
        "git commit -m 'Total'",
        "$ tsc\ncart.ts(3,4): error TS2339: Property 'total' does not exist.\nhusky - pre-commit script failed (code 2)",
        1,
      ),
    );
    add("one", touch("src/cart.ts"));
    add("one", bash("git add -A && git commit -m 'Total of a cart'", "[main 1a2b3c4] Total of a cart"));
    updateSearchIndex(db);
    expect(findFixes(db, "error TS2339: Property 'total' does not exist.", {}, 5).occurrences).toMatchObject([
      {
        error: "cart.ts(3,4): error TS2339: Property 'total' does not exist.",
        changed: ["src/cart.ts"],
        fixedBy: { isSameCommand: true },
      },
    ]);
    // The same message about another name is another error.
    expect(findFixes(db, "error TS2339: Property 'price' does not exist.", {}, 5).occurrences).toEqual([]);
    db.close();
  });

  it("is fixed by what the passing line ran before the command, and by the install of a missing program", () => {
    const { db, add } = seedStore();
    add("one", prompt("Try it"));
    add("one", bash("node bin/shop.js", "Error: Cannot find module 'shop/dist'", 1));
    add("one", bash("npm run build && node bin/shop.js", "ok"));
    add("two", prompt("Lint it"));
    add("two", bash("npm run lint", "sh: line 1: biome: command not found", 127));
    add("two", touch("src/cart.ts"));
    add("two", bash("npm install", "added 3 packages"));
    add("two", bash("npm run lint", "ok"));
    updateSearchIndex(db);
    expect(findFixes(db, "Cannot find module 'shop/dist'", {}, 5).occurrences).toMatchObject([
      { fixedBy: { isSameCommand: false, command: "npm run build && node bin/shop.js" } },
    ]);
    const [lint] = findFixes(db, "zsh:1: biome: command not found", {}, 5).occurrences;
    expect(lint?.fixedBy).toMatchObject({ isSameCommand: true });
    expect(lint?.between.map((use) => use.input)).toEqual(['{"command":"npm install"}']);
    db.close();
  });

  it("is listed once if it was avoided in the same way in several sessions", () => {
    const { db, add } = seedStore();
    for (const session of ["one", "two", "three"]) {
      add(session, prompt("Run it"));
      add(session, bash("rtk npm run check", "error: unrecognized subcommand 'npm'", 2));
      add(session, bash("npm run check", "ok"));
    }
    updateSearchIndex(db);
    expect(findFixes(db, "unrecognized subcommand 'npm'", {}, 5).occurrences).toHaveLength(1);
    db.close();
  });

  it("does not match lines that are printed for every failure", () => {
    const { db, add } = seedStore();
    add("one", prompt("Lint it"));
    add("one", bash("npm run lint", 'error: script "lint" exited with code 1', 1));
    add("one", touch("src/cart.ts"));
    add("one", bash("npm run lint", "ok"));
    updateSearchIndex(db);
    expect(findFixes(db, 'error: script "lint" exited with code 1', {}, 5).occurrences).toEqual([]);
    db.close();
  });

  it("does not match unrelated errors", () => {
    const { db } = history();
    for (const text of ["error", "Exit code 1", "ReferenceError: nothing like it anywhere", ...HOSTILE]) {
      expect(findFixes(db, text, {}, 5).occurrences).toEqual([]);
    }
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 200 }),
        (text) => findFixes(db, text, {}, 5).occurrences.length < 6,
      ),
      { numRuns: 200 },
    );
    db.close();
  });
});

describe("uses of a command or tool", () => {
  it("are counted by form, with successes and the last failure", () => {
    const { db, add } = history();
    add("two", bash("grep -rn 'npm test' .", ""));
    updateSearchIndex(db);
    const { commands } = findUses(db, "npm test", {}, 5);
    expect(commands).toMatchObject([
      { command: "npm test", runs: 3, succeeded: 1, lastFailure: { error: expect.stringContaining("TypeError") } },
    ]);
    expect(findUses(db, "pm tes", {}, 5).commands).toHaveLength(1);
    expect(findUses(db, "cargo", {}, 5)).toEqual({ commands: [], tools: [], isTool: false, since: {} });
    db.close();
  });

  it("are attributed to the part of the line that worked or failed, never to cd", () => {
    const { db, add } = seedStore();
    add("one", prompt("Check the shop"));
    add("one", bash("cd /app && npm run lint && npm run e2e", 'error: script "lint" exited with code 2', 2));
    add("one", bash("cd /app && npm run lint && npm run e2e", "12 passed"));
    add("one", bash("cd /app && npm run e2e", "ok"));
    updateSearchIndex(db);
    const [lint, e2e] = ["npm run lint", "cd /app && npm run e2e"].map((text) => findUses(db, text, {}, 5).commands);
    expect(lint).toMatchObject([{ command: "npm run lint", runs: 2, succeeded: 1, unclear: 0 }]);
    expect(e2e).toMatchObject([{ command: "npm run e2e", runs: 2, succeeded: 2, unclear: 0, lastFailure: undefined }]);
    db.close();
  });

  it("of the shell are listed as a tool first if it is asked for by name", () => {
    const { db } = history();
    expect(findUses(db, "Bash", {}, 5)).toMatchObject({
      isTool: true,
      tools: [{ name: "Bash", runs: 6, succeeded: 3 }],
    });
    db.close();
  });

  it("are counted for tools other than the shell, with the newest use of each input", () => {
    const { db, add } = history();
    add("two", touch("src/login.ts"));
    updateSearchIndex(db);
    const { id } = db.get<{ id: number }>("SELECT max(id) AS id FROM tool_uses WHERE name = 'Edit'") ?? { id: 0 };
    expect(findUses(db, "edit", {}, 5).tools).toMatchObject([
      { name: "Edit", runs: 2, succeeded: 2, inputs: [{ id, input: '{"file_path":"/app/src/login.ts"}' }] },
    ]);
    db.close();
  });

  it("are searched without exceptions for any text", () => {
    const { db } = history();
    for (const text of HOSTILE) expect(findUses(db, text, {}, 5).tools).toEqual([]);
    fc.assert(
      fc.property(
        fc.string({ unit: "binary", maxLength: 200 }),
        (text) => findUses(db, text, {}, 5).commands.length < 6,
      ),
      { numRuns: 200 },
    );
    db.close();
  });
});

describe("a time range", () => {
  it("leaves out events before and after it", () => {
    const { db, add } = seedStore();
    const ask = (day: number, text: string) => {
      add("long", prompt(`${text} the walrus`), { at: START + day * DAY });
      add("long", bash("npm test", `Exit code 1\nWalrusError: ${text}`, 1));
      add("long", touch("src/walrus.ts"));
      add("long", ended(`${text} is done`));
    };
    ask(0, "feed");
    ask(10, "wash");
    ask(20, "sell");
    updateSearchIndex(db);
    const scope = { since: START + 9 * DAY, before: START + 11 * DAY };
    expect(findSessions(db, "walrus", { scope, limit: 5 }).findings).toMatchObject([
      { promptNumber: 2, at: START + 10 * DAY },
    ]);
    const asked = (query: string, span = {}) => findSessions(db, query, { scope: span, limit: 5, kind: "prompt" });
    for (const name of ["src/walrus.ts", "walrus"]) {
      const { findings } = findSessions(db, name, { scope, limit: 5, kind: "file" });
      expect(findings).toMatchObject([
        {
          promptNumber: 2,
          kind: "file",
          path: "src/walrus.ts",
          snippet: { text: expect.stringContaining("src/walrus.ts") },
        },
      ]);
    }
    expect([asked("sell").findings.length, asked("sell", scope).findings.length]).toEqual([1, 0]);
    expect(blame(db, { names: ["src/walrus.ts"], reads: false, limit: 5 }, scope)).toMatchObject([
      { prompt_number: 2 },
    ]);
    expect(findUses(db, "npm test", scope, 5).commands).toMatchObject([{ runs: 1 }]);
    expect(findUses(db, "pm tes", scope, 5).commands).toMatchObject([{ runs: 1 }]);
    expect(findFixes(db, "WalrusError: wash", scope, 5).occurrences).toMatchObject([{ times: 1 }]);
    db.close();
  });

  it("includes a running turn", () => {
    const { db, add } = seedStore();
    add("late", prompt("paint the walrus"), { at: START });
    add("late", bash("npm test", "ok"), { at: START + DAY });
    updateSearchIndex(db);
    const found = (scope: object) => findSessions(db, "walrus", { scope, limit: 5 }).findings.length;
    expect([found({ since: START + DAY / 2 }), found({ since: START + 2 * DAY })]).toEqual([1, 0]);
    expect([found({ before: START + 1 }), found({ before: START })]).toEqual([1, 0]);
    db.close();
  });
});

describe("shell commands", () => {
  it.each([
    ["cd /a && npm test 2>&1 | tail -20", "npm test"],
    ["# first\n# second\nmake all | head -n 5 | cat", "make all"],
    ["a | grep b", "a | grep b"],
  ])("%j has the key %j", (command, key) => {
    expect(commandKey(command)).toBe(key);
  });

  it("are split at shell operators, not inside quotes or here-documents", () => {
    expect(splitCommand(`cd a && npm test 2>&1 | tail; echo "x && y" 'p | q'`)).toEqual([
      "cd a",
      "npm test 2>&1",
      "tail",
      `echo "x && y" 'p | q'`,
    ]);
    expect(splitCommand("cat > f <<EOF\nnpm test\nEOF")).toEqual(["cat > f"]);
    expect(splitCommand("cat <<'EOF' > f && npm test\nit's; this\nEOF\nnpm start &> log")).toEqual([
      "cat  > f",
      "npm test",
      "npm start &> log",
    ]);
    expect(splitChain("a &&\n b || c | d; e").map(({ command, operator }) => `${operator}${command}`)).toEqual([
      "a",
      "&&b",
      "||c",
      "|d",
      ";e",
    ]);
  });

  it("are compared by program and first arguments, without long texts", () => {
    expect(commandHead("bun run lint --fix")).toBe("bun run lint");
    expect(commandHead("ls -l")).toBe("");
    expect(commandForm('git commit -m "a message that is quite long"')).toBe('git commit -m "…"');
  });
});
