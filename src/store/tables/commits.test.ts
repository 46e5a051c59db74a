import { expect, it } from "vitest";
import { prompt, seedStore, START } from "../../../test/seed.ts";
import { commitsOf, insertCommit, linkCommit } from "./commits.ts";

const SHA = "0123456789abcdef0123456789abcdef01234567";

it("a commit linked by its full hash is the one that git prints with a short hash, and the other way round", () => {
  const { db, add } = seedStore();
  add("one", prompt("Commit it"));
  const of = { sessionDbId: 1, promptNumber: 1, subject: "Keep the done flag", at: START };
  const linked = { ...of, author: "Anna", pullRequest: 7, basis: "lines", confidence: 0.8 } as const;
  expect(linkCommit(db, { ...linked, sha: SHA })).toBe(true);
  insertCommit(db, { ...of, sha: SHA.slice(0, 7), at: START + 5 });
  insertCommit(db, { ...of, sha: SHA.slice(0, 7), at: START + 5 });
  expect(linkCommit(db, { ...linked, sha: SHA })).toBe(false);
  expect(commitsOf(db, 1)).toMatchObject([
    { sha: SHA, basis: "output", confidence: 1, author: "Anna", created_at: START + 5 },
  ]);
  insertCommit(db, { ...of, sha: "1123456" });
  expect(commitsOf(db, 1)).toHaveLength(2);
});
