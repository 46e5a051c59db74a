import { describe, expect, it } from "vitest";
import { bash, DAY, ended, prompt, seedStore, START, touch } from "../../../test/seed.ts";
import type { Activity, CapturedEvent } from "../../core/event.ts";
import { findFixes } from "../../recall/history/fix.ts";
import { relatedSessions } from "../../recall/history/related.ts";
import type { Db } from "../../store/db/driver.ts";
import { updateSearchIndex } from "../../store/fts/search-index.ts";
import { sessionsByIds } from "../../store/reads/session-list.ts";
import { updateLinks } from "./update-links.ts";

const PLAN: Activity = { kind: "origin", plan: "calm-blue-sea" };
const fails = (number: number, command = "npm test"): Activity =>
  bash(command, `Exit code 1\nTypeError: user ${number} is undefined at /app/src/login.ts:${number}:4`, 1);
const passes = (command = "npm test"): Activity => bash(`cd /app && ${command} 2>&1 | tail -5`, "12 passed");
const OTHER = bash("npm test", "Exit code 1\nReferenceError: basket is not defined", 1);

/** A store with two sessions. `extra` can change the time or project of the second one. */
function createSessions(first: Activity[], second: Activity[], extra: Partial<CapturedEvent> = {}): Db {
  const { db, add } = seedStore();
  add("first", prompt("Make the tests pass"));
  for (const activity of first) add("first", activity);
  add("first", ended("To be gone on with."));
  add("second", prompt("What about the tests?"), extra);
  const { at: _, ...where } = extra;
  for (const activity of second) add("second", activity, where);
  add("second", ended("The user was read before it was loaded."), where);
  updateSearchIndex(db);
  updateLinks(db, { maxMs: Infinity });
  return db;
}

function fixes(db: Db): [string, string, number][] {
  return db
    .all<{ source_id: string; target_id: string; weight: number }>(
      "SELECT source_id, target_id, weight FROM links WHERE relationship = 'fixes' AND source_type = 'session'",
    )
    .map(({ source_id, target_id, weight }) => [source_id, target_id, weight]);
}

describe("an error of one session is fixed by a later session", () => {
  it.each<[string, Activity[], Activity[], number]>([
    ["that had the error again and changed a file", [fails(1)], [fails(2), touch("src/login.ts"), passes()], 0.9],
    ["that had the error among others", [fails(1)], [OTHER, fails(2), touch("src/login.ts"), passes()], 0.9],
    ["that continues it and changed a file first", [PLAN, fails(1)], [PLAN, touch("a.ts"), passes()], 0.7],
  ])("%s", (_, first, second, weight) => {
    expect(fixes(createSessions(first, second))).toEqual([["second", "first", weight]]);
  });

  it.each<[string, Activity[], Activity[], Partial<CapturedEvent>?]>([
    ["that changed nothing before the command passed", [fails(1)], [fails(2), passes(), touch("src/login.ts")]],
    ["in which the command never passed", [fails(1)], [fails(2), touch("src/login.ts"), fails(3)]],
    ["that had a different error", [fails(1)], [OTHER, touch("src/login.ts"), passes()]],
    ["that continues it, but had another error", [PLAN, fails(1)], [PLAN, OTHER, touch("a.ts"), passes()]],
    ["that has nothing to do with it", [fails(1)], [touch("docs/a.md"), passes()]],
    ["that ran another command", [fails(1)], [fails(2, "npm run e2e"), touch("src/login.ts"), passes("npm run e2e")]],
    [
      "if the first session had fixed it itself",
      [fails(1), touch("a.ts"), passes()],
      [fails(2), touch("a.ts"), passes()],
    ],
    [
      "if the output names no particular error",
      [bash("npm test", "Exit code 1", 1)],
      [bash("npm test", "Exit code 1", 1), touch("a.ts"), passes()],
    ],
    ["a long time after", [fails(1)], [fails(2), touch("a.ts"), passes()], { at: START + 9 * DAY }],
    [
      "of another project",
      [fails(1)],
      [fails(2), touch("a.ts"), passes()],
      { project: { key: "k2", name: "tool", root: "/tool" } },
    ],
  ])("but not %s", (_, first, second, extra) => {
    expect(fixes(createSessions(first, second, extra))).toEqual([]);
  });

  it("and `fix` and `related` show the fix", () => {
    const db = createSessions([fails(1)], [fails(2), touch("src/login.ts"), passes()]);
    const [first, second] = sessionsByIds(db, [1, 2]);
    const found = (scope: object) =>
      findFixes(db, "TypeError: user 99 is undefined at login.ts:1:2", scope, 5).occurrences.map(
        ({ failure, fixedBy, changed, closing }) => ({
          in: failure.session_id,
          passed: fixedBy?.use.session_id,
          changed,
          closing,
        }),
      );
    const passed = { passed: "second", changed: ["src/login.ts"], closing: "The user was read before it was loaded." };
    // Both sessions had the error, and the same change fixed it: it is listed once.
    expect(found({})).toEqual([{ in: "second", ...passed }]);
    expect(found({ before: second?.started_at })).toEqual([{ in: "first", ...passed }]);
    const reasons = (session: typeof first) =>
      session === undefined ? [] : relatedSessions(db, session, 5).flatMap((one) => one.reasons);
    expect(reasons(first)).toContain("fixed an error of this session");
    expect(reasons(second)).toContain("had an error that this session fixed");
  });
});
