import { expect, it } from "vitest";
import { prompt, seedStore } from "../../../test/seed.ts";
import type { Db } from "../db/driver.ts";
import { type Sql, sql } from "../db/sql.ts";
import { sessionsOfCommits } from "../tables/commits.ts";
import { newTouches } from "../tables/repository-reads.ts";
import { turnsWithCommit } from "./commit-evidence.ts";

const { db, add } = seedStore();
add("one", prompt("Commit it"));

/** The steps by which the queries of `read` find their rows. */
function stepsOf(read: (db: Db) => unknown): string {
  const steps: string[] = [];
  const note = (query: Sql): void => {
    for (const { detail } of db.all<{ detail: string }>(sql`EXPLAIN QUERY PLAN ${query}`)) steps.push(detail);
  };
  read({
    ...db,
    all: (query: Sql) => (note(query), db.all(query)),
    get: (query: Sql) => (note(query), db.get(query)),
  } as Db);
  return steps.join("\n");
}

const SHA = "0123456789abcdef0123456789abcdef01234567";

it.each([
  ["turnsWithCommit", (seen: Db) => turnsWithCommit(seen, 1, SHA)],
  ["sessionsOfCommits", (seen: Db) => sessionsOfCommits(seen, 1, [SHA])],
])("%s looks a hash up once, not in each session of the project", (_name, read) => {
  expect(stepsOf(read)).toMatch(/^SEARCH c USING INDEX commits_by_sha \(sha=\?\)/);
});

it("newTouches reads only the new rows", () => {
  expect(stepsOf((seen) => newTouches(seen, 1, 5))).toContain("SEARCH f USING INTEGER PRIMARY KEY (rowid>?)");
});
