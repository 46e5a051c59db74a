// The tasks an agent had set itself and not ticked off when the turn ended.
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { clip, plain } from "../../core/prose.ts";

const MAX_TASKS = 5;
const TASK_CHARS = 120;

export function openTasks(evidence: TurnEvidence): string[] {
  const tasks = new Map<string, { text: string; isDone: boolean }>();
  for (const { name, input, output, isError } of evidence.toolUses) {
    if (isError) continue;
    const list =
      name === "TodoWrite" || name === "write_todos"
        ? input["todos"]
        : name === "update_plan"
          ? input["plan"]
          : undefined;
    if (Array.isArray(list)) {
      tasks.clear();
      for (const [index, one] of list.entries()) addListed(tasks, String(index), one);
    } else if (name === "TaskCreate") {
      const id = /"id":\s*"?(\d+)/.exec(output)?.[1] ?? String(tasks.size + 1);
      tasks.set(id, { text: textOf(input["subject"] ?? input["title"]), isDone: false });
    } else if (name === "TaskUpdate") {
      const task = tasks.get(String(input["taskId"]));
      if (task !== undefined) task.isDone = isDone(input["status"]);
    }
  }
  return [...tasks.values()]
    .filter((task) => !task.isDone && task.text !== "")
    .slice(0, MAX_TASKS)
    .map(({ text }) => text);
}

function addListed(tasks: Map<string, { text: string; isDone: boolean }>, id: string, value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  const entry = value as Record<string, unknown>;
  tasks.set(id, {
    text: textOf(entry["content"] ?? entry["step"] ?? entry["description"]),
    isDone: isDone(entry["status"]),
  });
}

function isDone(status: unknown): boolean {
  return status === "completed" || status === "done" || status === "deleted" || status === "cancelled";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? clip(plain(value.slice(0, 1_000)), TASK_CHARS) : "";
}
