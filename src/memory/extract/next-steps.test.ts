import { describe, expect, it } from "vitest";
import { committed, edited, ran, said, turn, used } from "../../../test/evidence.ts";
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { extractTurn } from "./extract-turn.ts";

const steps = (evidence: TurnEvidence): string[] => extractTurn(evidence).summary.nextSteps.split("\n").filter(Boolean);
const failed = ran("npm test", "Tests  2 failed | 5 passed (7)", 1);

describe("next steps", () => {
  it("are what the agent said is left, one a line", () => {
    const words =
      "Sessions are stored in SQLite now.\n\n## Remaining\n- The migration of old JSON files is not written yet\n- `app export` still reads the JSON files and needs to be changed";
    expect(steps(turn("Move the sessions to SQLite", edited("src/store.ts"), said(words)))).toEqual([
      "The migration of old JSON files is not written yet",
      "`app export` still reads the JSON files and needs to be changed",
    ]);
  });

  it.each(["Next steps", "Remaining work", "TODO:", "Still open", "Follow-ups"])("are listed below %j", (heading) => {
    const words = `Sessions are stored in SQLite.\n\n## ${heading}\n\n- Migrate the JSON files`;
    expect(steps(turn("Move the sessions to SQLite", edited("src/store.ts"), said(words)))).toEqual([
      "Migrate the JSON files",
    ]);
  });

  it("are not offers, results or statuses", () => {
    const words = "Sessions are stored in SQLite now. All 120 tests pass.\n\nWant me to open a pull request?";
    expect(steps(turn("Move the sessions to SQLite", edited("src/store.ts"), said(words)))).toEqual([]);
  });

  it("are open todos, but only after the last turn of the session", () => {
    const todos = [
      { content: "Retry uploads", status: "completed" },
      { content: "Write the docs", status: "pending" },
    ];
    const evidence = turn(
      "Add retries",
      used("TodoWrite", { todos }),
      edited("src/up.ts"),
      said("Uploads are retried."),
    );
    expect(steps(evidence)).toEqual(["To do: Write the docs"]);
    evidence.prompt.next = "now the docs";
    expect(steps(evidence)).toEqual([]);
  });

  it("are failing tests that the agent admits and did not commit", () => {
    const line = "Tests fail: 2 failed, 5 passed (`npm test`)";
    expect(steps(turn("run the tests", failed))).toEqual([line]);
    expect(steps(turn("run the tests", failed, said("Two tests of the cart fail.")))).toContain(line);
    expect(steps(turn("run the tests", failed, said("The total of the cart is rounded once.")))).toEqual([]);
    expect(steps(turn("run the tests", failed, ran("npm test", "Tests  7 passed (7)"), said("Green.")))).toEqual([]);
    const commit = [
      ran("git commit -m 'Add the cart'", "[main abc1234] Add the cart"),
      committed("abc1234", "Add the cart"),
    ];
    expect(steps(turn("commit", failed, ...commit, said("Two tests of the cart fail.")))).not.toContain(line);
  });

  it("are the pending tasks of a compaction, if the agent said nothing after it", () => {
    const summary = said(
      "Summary:\n1. Primary Request and Intent:\n   Retry the uploads\n\n7. Pending Tasks:\n   - Document the queue file\n\n9. Optional Next Step:\n   Finish the page about the queue.",
      { role: "summary" },
    );
    expect(steps(turn("go on", said("I continue."), summary))).toEqual([
      "Document the queue file",
      "Finish the page about the queue.",
    ]);
    expect(steps(turn("go on", summary, said("The queue file is documented.")))).toEqual([]);
  });

  it("are what Claude Code's summary for an absent user names", () => {
    const away = said("You fixed the upload of large files. Next: review the pull request.", { role: "system" });
    expect(steps(turn("fix the upload", said("The upload is retried now."), away))).toEqual([
      "Review the pull request.",
    ]);
  });
});
