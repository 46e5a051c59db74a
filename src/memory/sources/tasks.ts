// Reads the agent's task list, with each task's latest state, from the calls that wrote it, in order.
import { asObjects, asString, type JsonObject } from "../../core/json.ts";
import { stripMarkdown } from "../../core/prose.ts";
import type { EvidenceToolUse } from "../../store/reads/turn-evidence.ts";

export type TaskState = "open" | "in-progress" | "done";

export interface Task {
  text: string;
  state: TaskState;
  /** Item id of the tool use that set the state. */
  evidence: string;
}

type TaskUse = Pick<EvidenceToolUse, "id" | "name" | "input" | "output" | "isError">;

/** Tools that write the whole list, by the input field that contains it. Gemini CLI: write_todos, OpenCode: todowrite. */
const LIST_TOOLS: Readonly<Record<string, string>> = {
  TodoWrite: "todos",
  todo_write: "todos",
  todowrite: "todos",
  write_todos: "todos",
  update_plan: "plan",
};

const MAX_TASKS = 200;

/** The tasks after these tool uses, which may be of several turns. Deleted and cancelled tasks are left out. */
export function foldTasks(uses: readonly TaskUse[]): Task[] {
  const tasks: Tasks = new Map();
  for (const use of uses) {
    if (!use.isError) applyUse(tasks, use);
    for (const id of [...tasks.keys()].slice(0, -MAX_TASKS)) tasks.delete(id);
  }
  return [...tasks.values()].filter(({ text }) => text !== "");
}

export function openTasks(tasks: readonly Task[]): Task[] {
  return tasks.filter(({ state }) => state !== "done");
}

type Tasks = Map<string, Task>;

function applyUse(tasks: Tasks, use: TaskUse): void {
  const { id: evidence, name, input, output } = use;
  const field = Object.hasOwn(LIST_TOOLS, name) ? LIST_TOOLS[name] : undefined;
  if (field !== undefined) replaceList(tasks, asObjects(input[field]), input["merge"] === true, evidence);
  else if (name === "update_todo") readChecklist(tasks, asString(input["todos"]) ?? "", evidence);
  else if (name === "TaskCreate") {
    const id = /"id":\s*"?(\d+)|^Task #(\d+)/.exec(output)?.slice(1).find(Boolean) ?? String(tasks.size + 1);
    tasks.set(id, { text: taskText(input["subject"] ?? input["title"]), state: "open", evidence });
  } else if (name === "TaskUpdate") {
    const id = String(input["taskId"] ?? input["id"]);
    const text = taskText(input["subject"]);
    change(tasks, [id], { text, status: asString(input["status"]), evidence });
  } else if (name === "sql") applySql(tasks, asString(input["query"])?.slice(0, MAX_SQL_CHARS) ?? "", evidence);
}

function replaceList(tasks: Tasks, entries: readonly JsonObject[], isMerge: boolean, evidence: string): void {
  if (!isMerge) tasks.clear();
  for (const [index, entry] of entries.entries()) {
    const id = isMerge ? (asString(entry["id"]) ?? String(index)) : String(index);
    const text = taskText(entry["content"] ?? entry["step"] ?? entry["description"] ?? entry["text"]);
    const state = stateOf(asString(entry["status"]));
    if (state === undefined) tasks.delete(id);
    else tasks.set(id, { text: text || (tasks.get(id)?.text ?? ""), state, evidence });
  }
}

/** "- [x] Write tests\n- [ ] Push" */
function readChecklist(tasks: Tasks, markdown: string, evidence: string): void {
  tasks.clear();
  for (const [, mark = "", text] of markdown.matchAll(/^[ \t]*(?:[-*]|\d+\.)[ \t]+\[(.)\][ \t]+(.+)$/gm)) {
    const state = /x/i.test(mark) ? "done" : mark === " " ? "open" : "in-progress";
    tasks.set(String(tasks.size), { text: taskText(text), state, evidence });
  }
}

interface Change {
  text: string;
  status: string | undefined;
  evidence: string;
}

function change(tasks: Tasks, ids: Iterable<string>, { text, status, evidence }: Change): void {
  for (const id of ids) {
    const task = tasks.get(id);
    const state = status === undefined ? task?.state : stateOf(status);
    if (state === undefined) tasks.delete(id);
    else if (task !== undefined) tasks.set(id, { text: text || task.text, state, evidence });
  }
}

const DONE: ReadonlySet<string> = new Set(["completed", "complete", "done"]);
const GONE: ReadonlySet<string> = new Set(["deleted", "cancelled", "canceled"]);

/** Undefined for a task that was given up. */
function stateOf(status = "pending"): TaskState | undefined {
  if (GONE.has(status)) return undefined;
  if (DONE.has(status)) return "done";
  return status === "in_progress" ? "in-progress" : "open";
}

function taskText(value: unknown): string {
  return typeof value === "string" ? stripMarkdown(value.slice(0, 1_000)).replace(/[.:]$/, "") : "";
}

const MAX_SQL_CHARS = 10_000;

/** An SQL string: 'it''s done' */
const QUOTED = String.raw`'((?:[^']|'')*)'`;

/** Reads only the two forms that Copilot CLI's instructions show: INSERT with values, UPDATE of the status. */
function applySql(tasks: Tasks, query: string, evidence: string): void {
  for (const statement of statementsOf(query)) {
    const [, columns, values = ""] =
      /^INSERT (?:OR \w+ )?INTO todos\s*(?:\(([^)]*)\))?\s*VALUES\s*([\s\S]+)$/i.exec(statement) ?? [];
    if (values !== "") insertRows(tasks, columns, values, evidence);
    const [, changes = "", where = ""] = /^UPDATE todos SET ([\s\S]+?)(?: WHERE ([\s\S]+))?$/i.exec(statement) ?? [];
    const status = new RegExp(String.raw`\bstatus\s*=\s*${QUOTED}`, "i").exec(changes)?.[1];
    if (status !== undefined) change(tasks, chosenIds(tasks, where), { text: "", status, evidence });
    if (/^DELETE FROM todos\s*$/i.test(statement)) tasks.clear();
  }
}

/** Splits at semicolons outside strings. */
function statementsOf(query: string): string[] {
  const statements = query.match(/(?:'(?:[^']|'')*'|[^;'])+/g) ?? [];
  return statements.map((one) =>
    one
      .replace(/^[ \t]*--[^\n]*$/gm, "")
      .trim()
      .replace(/\s+/g, " "),
  );
}

function insertRows(tasks: Tasks, columns = "id, title, description, status", rows: string, evidence: string): void {
  const names = columns.split(",").map((name) => name.trim().toLowerCase());
  for (const [, row = ""] of rows.matchAll(/\(((?:'(?:[^']|'')*'|[^')])*)\)/g)) {
    const cells = [...row.matchAll(new RegExp(`${QUOTED}|[^,\\s]+`, "g"))].map(([, cell]) =>
      cell?.replaceAll("''", "'"),
    );
    const cell = (name: string): string | undefined => cells[names.indexOf(name)];
    const state = stateOf(cell("status"));
    const id = cell("id");
    if (id !== undefined && state !== undefined) tasks.set(id, { text: taskText(cell("title")), state, evidence });
  }
}

/** The ids of "id = 'a'" and "id IN ('a', 'b')"; all tasks without a condition, none for any other condition. */
function chosenIds(tasks: Tasks, where: string): string[] {
  if (where === "") return [...tasks.keys()];
  const list = /^id\s*(?:=|IN\s*\()\s*([\s\S]+)$/i.exec(where.trim())?.[1] ?? "";
  return [...list.matchAll(new RegExp(QUOTED, "g"))].map(([, id = ""]) => id);
}
