import { describe, expect, it } from "vitest";
import { ran, said, turn } from "../../../test/evidence.ts";
import { turnReferences } from "./references.ts";

const show = (evidence: ReturnType<typeof turn>) =>
  turnReferences(evidence).map(({ kind, number, title, action, id }) => `${id} ${action} ${kind} ${number}: ${title}`);

describe("turnReferences", () => {
  it("reads what was done with pull requests and issues", () => {
    const evidence = turn(
      "fix https://github.com/o/r/issues/7 like PR #3",
      ran("gh issue view 7 --json number,title,body", '{"body":"It fails","number":7,"title":"Uploads fail for good"}'),
      ran(
        `git push && gh pr create --draft --title "Retry \\"lost\\" uploads" --body "$(cat <<'EOF'\nFixes https://github.com/o/r/issues/7\nEOF\n)"`,
        "Warning: 1 uncommitted change\nhttps://github.com/o/r/pull/12\n",
      ),
      ran("gh pr merge 12 --squash", "✓ Squashed and merged"),
      ran("gh issue close https://github.com/o/r/issues/8 --comment done"),
      ran("gh pr view 3", "title:\tKeep the queue on disk\nstate:\tMERGED\nnumber:\t3\n"),
      ran("gh pr merge 13", "no such pull request", 1),
      ran("gh pr list --json number", '[{"number": 99}]'),
      said("Opened https://github.com/o/r/pull/12#issuecomment-1; issue #20 is next."),
    );
    expect(show(evidence)).toEqual([
      "t1 viewed issue 7: Uploads fail for good",
      't2 created pr 12: Retry "lost" uploads',
      "t4 closed issue 8: ",
      "t5 viewed pr 3: Keep the queue on disk",
      "m1 mentioned issue 20: ",
    ]);
  });
});
