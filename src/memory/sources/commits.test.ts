import { describe, expect, it } from "vitest";
import { committed, ran, turn } from "../../../test/evidence.ts";
import { turnCommits } from "./commits.ts";

const MESSAGE = `feat(upload): retry after a lost connection

Uploads failed for good. They now wait 200 ms, then "twice" as long; see #12.

- Keeps the queue on disk

Co-Authored-By: An Agent <agent@example.com>
Entire-Checkpoint: 1a2b3c`;
const BODY = `Uploads failed for good. They now wait 200 ms, then "twice" as long; see #12.\n\n- Keeps the queue on disk`;

describe("turnCommits", () => {
  it("joins the hash that git printed with the message of the command", () => {
    const evidence = turn(
      "commit it",
      ran(
        `git add src && git commit -m "$(cat <<'EOF'\n${MESSAGE}\nEOF\n)" && git push`,
        "[main 1a2b3c4] feat(upload): retry after a lost connection\n 2 files changed",
      ),
      committed("1a2b3c4", "feat(upload): retry after a lost connection"),
    );
    expect(turnCommits(evidence)).toEqual([
      {
        sha: "1a2b3c4",
        subject: "feat(upload): retry after a lost connection",
        body: BODY,
        id: "t1",
        isAmend: false,
        keepsMessage: false,
      },
    ]);
  });

  it.each([
    [
      "two -m",
      `git commit -q -m "Fix the \\"done\\" flag" -m 'It was lost.'`,
      "",
      'Fix the "done" flag',
      "It was lost.",
    ],
    ["a filtered output", `rtk git commit -m 'Fix the flag'`, "ok ✓ 2 files changed", "Fix the flag", ""],
    [
      "standard input",
      "git commit -F - <<'EOF'\nFix the flag\n\nIt was lost.\nEOF\ngit push",
      "",
      "Fix the flag",
      "It was lost.",
    ],
  ])("reads a commit without a hash, with %s", (_, command, output, subject, body) => {
    expect(turnCommits(turn("commit it", ran(command, output)))).toEqual([
      { sha: "", subject, body, id: "t1", isAmend: false, keepsMessage: false },
    ]);
  });

  it("lists only the last form of an amended or repeated commit", () => {
    const evidence = turn(
      "commit it",
      ran("git commit -m 'Fix the flag'", "[main aaaaaaa] Fix the flag"),
      ran("git commit --amend -m 'Keep the done flag'", "[main bbbbbbb] Keep the done flag"),
      ran("git commit --amend --no-edit", "[main ccccccc] Keep the done flag"),
      ran("git commit -m 'Document it'", "[main ddddddd] Document it"),
      committed("aaaaaaa", "Fix the flag"),
      committed("bbbbbbb", "Keep the done flag"),
      committed("ccccccc", "Keep the done flag"),
      committed("ddddddd", "Document it"),
    );
    expect(turnCommits(evidence).map(({ sha, subject }) => `${sha} ${subject}`)).toEqual([
      "ccccccc Keep the done flag",
      "ddddddd Document it",
    ]);
  });

  it("says whether an amended commit keeps the message of an earlier turn", () => {
    const amended = (options: string) =>
      turnCommits(
        turn(
          "one more thing",
          ran(`git add . && git commit --amend ${options}`, "[main ccccccc] Fix the flag"),
          committed("ccccccc", "Fix the flag"),
        ),
      ).map(({ keepsMessage }) => keepsMessage);
    expect(amended("--no-edit")).toEqual([true]);
    expect(amended("-m 'Fix the flag'")).toEqual([false]);
  });

  it("does not read failed commits or other commands", () => {
    const evidence = turn(
      "commit it",
      ran("git commit -m 'Fix the flag'", "error: hook failed", 1),
      ran("git commit -m 'Fix the flag' 2>&1 | tail -3", "husky - pre-commit script failed (code 1)"),
      ran("git commit -m 'Fix the flag' | tail -1", "nothing to commit, working tree clean"),
      ran("git log --grep commit -m 'x'", "Fix the flag"),
    );
    expect(turnCommits(evidence)).toEqual([]);
  });
});
