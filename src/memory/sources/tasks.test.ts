import { describe, expect, it } from "vitest";
import { turn, used } from "../../../test/evidence.ts";
import { foldTasks, openTasks } from "./tasks.ts";

type Call = [name: string, input: Record<string, unknown>, output?: string];

const fold = (...calls: Call[]) =>
  foldTasks(turn("go", ...calls.map(([name, input, output = ""]) => used(name, input, { output }))).toolUses);
const states = (...calls: Call[]) => fold(...calls).map(({ text, state }) => `${text}: ${state}`);

describe("foldTasks", () => {
  it.each<[name: string, field: string, text: string]>([
    ["TodoWrite", "todos", "content"],
    ["todowrite", "todos", "content"],
    ["write_todos", "todos", "description"],
    ["update_plan", "plan", "step"],
  ])("keeps the last list of %s", (name, field, text) => {
    const list = (...entries: [string, string][]): Call => [
      name,
      { [field]: entries.map(([label, status]) => ({ [text]: label, status })) },
    ];
    expect(
      states(
        list(["Parse the flag", "in_progress"], ["Write the docs.", "pending"], ["Ask", "pending"]),
        list(["Parse the flag", "completed"], ["Write the **docs**", "in_progress"], ["Ask", "cancelled"]),
      ),
    ).toEqual(["Parse the flag: done", "Write the docs: in-progress"]);
  });

  it("follows created and updated tasks over turns, whichever form the result has", () => {
    const tasks = fold(
      ["TaskCreate", { subject: "Parse the flag" }, '{"task":{"id":"4","subject":"Parse the flag"}}'],
      ["TaskCreate", { subject: "Write the docs" }, "Task #5 created successfully: Write the docs"],
      ["TaskCreate", { subject: "Ask" }, "Task #6 created successfully: Ask"],
      ["TaskUpdate", { taskId: "4", status: "in_progress" }],
      ["TaskUpdate", { taskId: "4", status: "completed" }],
      ["TaskUpdate", { taskId: "5", subject: "Write the reference" }],
      ["TaskUpdate", { taskId: "6", status: "deleted" }],
    );
    expect(tasks).toEqual([
      { text: "Parse the flag", state: "done", evidence: "t5" },
      { text: "Write the reference", state: "open", evidence: "t6" },
    ]);
    expect(openTasks(tasks).map(({ text }) => text)).toEqual(["Write the reference"]);
  });

  it("reads Copilot's table and its checklist", () => {
    expect(
      states(
        [
          "sql",
          {
            query:
              "INSERT INTO todos (id, title, description) VALUES\n  ('flag', 'Parse the flag', 'It''s (only) --open; nothing else'),\n  ('docs', 'Write the docs', 'x');",
          },
        ],
        ["sql", { query: "INSERT INTO todos (id, title, status) VALUES ('ask', 'Ask', 'pending')" }],
        ["sql", { query: "UPDATE todos SET status = 'in_progress' WHERE id = 'docs'" }],
        [
          "sql",
          {
            query:
              "UPDATE todos SET status = 'done', updated_at = 'x' WHERE id IN ('flag', 'ask'); SELECT * FROM todos",
          },
        ],
      ),
    ).toEqual(["Parse the flag: done", "Write the docs: in-progress", "Ask: done"]);
    expect(states(["update_todo", { todos: "- [x] Parse the flag\n- [ ] Write the docs" }])).toEqual([
      "Parse the flag: done",
      "Write the docs: open",
    ]);
  });

  it("changes nothing for a failed call, or an SQL condition that it cannot read", () => {
    const uses = turn(
      "go",
      used("sql", { query: "INSERT INTO todos (id, title) VALUES ('a', 'Ask')" }),
      used("sql", { query: "UPDATE todos SET status = 'done' WHERE title LIKE 'A%'" }),
      used("sql", { query: "SELECT * FROM todos WHERE status = 'done'" }),
      used("TodoWrite", { todos: [] }, { isError: true }),
    ).toolUses;
    expect(foldTasks(uses)).toMatchObject([{ text: "Ask", state: "open" }]);
  });
});
