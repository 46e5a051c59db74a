import { describe, expect, it } from "vitest";
import { turn, used } from "../../../test/evidence.ts";
import { subagentReports } from "./subagent-reports.ts";

const REPORT = "## Report\n\nThe queue is read twice:\n\n- once in `start()`\n- once in `upload()`";
const LAUNCHED = JSON.stringify({ status: "async_launched", agentId: "a1b2", description: "Find the reads" });

const input = { description: "Find the reads", subagent_type: "Explore", prompt: "Find every read of the queue" };

describe("subagentReports", () => {
  it.each<[string, string, string, string | undefined]>([
    ["a result", "Agent", REPORT, undefined],
    [
      "a result with Claude Code's footer",
      "Task",
      `${REPORT}\nagentId: a24795eb (use SendMessage with to: 'a24795eb' to continue this agent)\n<usage>total_tokens: 337\ntool_uses: 6</usage>`,
      undefined,
    ],
    ["a subagent in the background", "Agent", LAUNCHED, REPORT],
  ])("reads %s", (_, name, output, report) => {
    const evidence = turn("look", used(name, input, { output, ...(report !== undefined && { report }) }));
    expect(subagentReports(evidence)).toEqual([
      {
        id: "t1",
        title: "Find the reads",
        agentType: "Explore",
        text: REPORT,
        blocks: [
          { kind: "heading", text: "Report", section: "Report" },
          { kind: "heading", text: "The queue is read twice", section: "The queue is read twice" },
          { kind: "item", text: "once in `start()`", section: "The queue is read twice" },
          { kind: "item", text: "once in `upload()`", section: "The queue is read twice" },
        ],
      },
    ]);
  });

  it("reads the result of a task in the background, if it was a subagent's", () => {
    const output = (type: string) =>
      JSON.stringify({ task: { task_type: type, status: "completed", description: "Find the reads", output: REPORT } });
    const evidence = turn(
      "look",
      used("TaskOutput", { task_id: "a" }, { output: output("local_bash") }),
      used("TaskOutput", { task_id: "b" }, { output: output("local_agent") }),
    );
    expect(subagentReports(evidence)).toMatchObject([{ id: "t2", title: "Find the reads", text: REPORT }]);
  });

  it("gives nothing for a subagent that has not reported, failed, or was started by a subagent", () => {
    const evidence = turn(
      "look",
      used("Agent", input, { output: LAUNCHED }),
      used("Agent", input, { output: REPORT, isError: true }),
      used("Agent", input, { output: REPORT, isSubagent: true }),
    );
    expect(subagentReports(evidence)).toEqual([]);
  });
});
