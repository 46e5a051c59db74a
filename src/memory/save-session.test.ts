import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { applyEvent } from "../capture/live/apply.ts";
import type { Activity } from "../core/event.ts";
import { openStore } from "../store/db/open.ts";
import { currentSummary, WHOLE_SESSION } from "../store/tables/summaries.ts";
import { deriveSession } from "./derive.ts";

const NOW = Date.UTC(2026, 0, 5);
const MINUTE = 60_000;

function session() {
  const db = openStore(join(mkdtempSync(join(tmpdir(), "c-mem-session-")), "c-mem.db"));
  let at = NOW;
  const add = (activity: Activity): void => {
    at += MINUTE;
    const project = { key: "k", name: "app", root: "/app" };
    applyEvent(db, { agent: "claude-code", sessionId: "s", cwd: "/app", at, activity, project }, `e${at}`);
  };
  const turn = (prompt: string, activities: readonly Activity[], response: string): void => {
    add({ kind: "prompt", text: prompt });
    for (const activity of activities) add(activity);
    add({ kind: "turn-end", response });
  };
  const summaryOf = (promptNumber: number) => {
    deriveSession(db, 1, at);
    return currentSummary(db, 1, promptNumber);
  };
  return {
    turn,
    openAfter: (promptNumber = WHOLE_SESSION) =>
      (summaryOf(promptNumber)?.next_steps ?? "").split("\n").filter(Boolean),
    completed: () => (summaryOf(WHOLE_SESSION)?.completed ?? "").split("\n"),
  };
}

const edit = (path: string): Activity => ({
  kind: "tool-use",
  name: "Edit",
  input: {},
  isError: false,
  files: [{ path, kind: "edit", added: 2, removed: 1 }],
});
const bash = (command: string, output = "", isError = false): Activity => ({
  kind: "tool-use",
  name: "Bash",
  input: { command },
  output,
  isError,
  exitCode: Number(isError),
  files: [],
});
const commit = (subject: string, sha: string): Activity =>
  bash(`git add -A && git commit -m "${subject}"`, `[fix/login ${sha}] ${subject}\n 1 file changed`);
const todos = (...states: string[]): Activity => ({
  kind: "tool-use",
  name: "TodoWrite",
  input: { todos: states.map((status, index) => ({ content: `Write part ${index + 1} of the login guide`, status })) },
  isError: false,
  files: [],
});

describe("what a session leaves open", () => {
  it("is not what an earlier turn left open and a later turn did", () => {
    const { turn, openAfter } = session();
    turn("Write the login guide", [todos("completed", "pending")], "Part 1 is written.");
    expect(openAfter()).toContain("To do: Write part 2 of the login guide");
    turn("Go on", [todos("completed", "completed")], "Part 2 is written, too.");
    expect(openAfter()).toEqual([]);
  });

  it("is no heading, and nothing that the summary states as done", () => {
    const { turn, openAfter, completed } = session();
    const said =
      "The login is kept after a restart.\n\nNext steps:\n\n- The login is kept after a restart.\n- Not done yet: the logout still ends all sessions, which remains to be fixed.";
    turn("Fix the login", [edit("src/login.ts")], said);
    const stated = completed().join(" ");
    for (const step of openAfter()) {
      expect(step).not.toMatch(/:$/);
      expect(stated).not.toContain(step);
    }
  });

  it("is no offer that the next prompt answered", () => {
    const { turn, openAfter } = session();
    turn("Fix the login", [edit("src/login.ts"), commit("Keep the login", "1a2b3c4")], "Fixed. Want me to push it?");
    turn("No, thanks. What does keepLogin do?", [], "It writes the session's token to the keychain.");
    expect(openAfter().join(" ")).not.toMatch(/want me|push it/i);
  });

  it("is a change without a commit, and a commit without a push", () => {
    const { turn, openAfter, completed } = session();
    turn("Fix the logout", [edit("src/logout.ts"), commit("End the session", "0a1b2c3"), bash("git push")], "Pushed.");
    expect(openAfter()).toEqual([]);
    const work = [edit("src/login.ts"), commit("Keep the login", "1a2b3c4"), edit("CHANGELOG.md")];
    turn("Fix the login", work, "The login is kept.");
    expect(openAfter()).toEqual([
      "CHANGELOG.md is changed but not committed.",
      "1 commit is ahead of origin and not pushed: “Keep the login”.",
    ]);
    expect(completed().at(-1)).toBe("Outcome: committed as 1a2b3c4, 0a1b2c3.");
  });

  it("is a pull request until it is merged; only the last turn's summary has it", () => {
    const { turn, openAfter } = session();
    const url = "https://github.com/acme/app/pull/41\n";
    const work = [
      edit("src/login.ts"),
      commit("Keep the login", "1a2b3c4"),
      bash("git push -u origin fix/login"),
      bash('gh pr create --title "fix: keep the login" --body x', url),
    ];
    const line = "PR #41 (Keep the login) is open and waits for review: it is not reported merged.";
    turn("Fix the login and open a pull request", work, "Opened.");
    expect(openAfter()).toEqual([line]);
    expect(openAfter(1)).toEqual([line]);
    turn("What is the default branch?", [], "It is called main in this repository.");
    expect(openAfter()).toEqual([line]);
    expect(openAfter(1)).toEqual([]);
    turn("Merge it", [bash("gh pr merge 41 --squash")], "Merged.");
    expect(openAfter()).toEqual([]);
  });

  it("is a failed commit, a test file that was not run, and CI after the last push", () => {
    const { turn, openAfter } = session();
    turn("Fix the logout", [edit("src/logout.ts"), commit("End the session", "0a1b2c3"), bash("git push")], "Pushed.");
    turn(
      "CI fails",
      [bash("gh run view 7 --log-failed"), edit("src/a.ts"), commit("Fix CI", "2b3c4d5"), bash("git push")],
      "Pushed.",
    );
    expect(openAfter()).toEqual(["The CI run after the last push has not been seen."]);
    const failed = bash('git commit -m "Test the login"', "error: gpg failed to sign the data", true);
    turn("Test it", [bash("gh run list"), edit("test/login.test.ts"), failed], "The key is locked.");
    expect(openAfter()).toEqual([
      "The commit “Test the login” failed.",
      "test/login.test.ts is changed but not committed.",
      "No test run is reported after the last change to test/login.test.ts.",
    ]);
  });

  it("is nothing in a project where the user commits", () => {
    const { turn, openAfter, completed } = session();
    turn("Fix the login", [edit("src/login.ts"), bash("npm test", "Tests  12 passed (12)")], "The login is kept.");
    expect(openAfter()).toEqual([]);
    expect(completed().at(-1)).toBe("Outcome: 12 tests passed.");
  });
});
