// The text of one observation with its evidence.
import { terminalSafe } from "../core/terminal.ts";
import { listText } from "../core/text.ts";
import type { Evidence, ObservationStory } from "../recall/history/observation.ts";
import { observationFiles } from "../store/tables/observation-files.ts";
import { observationOf } from "../store/tables/observations.ts";
import type { ObservationEntry } from "../store/reads/observation-list.ts";
import type { ShortId } from "../store/reads/short-ids.ts";
import { block, columns, fit, fitPath, pad } from "../platform/terminal/layout.ts";
import { dim, fields, heading, paint } from "../platform/terminal/style.ts";
import { titleText, when } from "./session-text.ts";

function reference(id: number, title: string | null): string {
  return fit(`o${id}: ${title ?? ""}`, columns() - 24);
}

/** "+2 copies" */
export function copiesText(copies: number): string {
  return `+${copies} ${copies === 1 ? "copy" : "copies"}`;
}

export function storyText(story: ObservationStory, shortId: ShortId): string {
  const { observation: row, session, successor, predecessors, versions, evidence } = story;
  const { narrative, facts, concepts } = observationOf(row);
  const marks = [
    row.type,
    row.pinned === 1 && "pinned",
    row.edited_at !== null && `edited ${when(row.edited_at)}`,
    row.marked_wrong === 1 && "marked as wrong, not injected",
    row.is_current === 0 && "replaced by another version",
    row.copies > 0 && copiesText(row.copies),
  ];
  const rows: [string, string][] = [
    ["observation", `o${row.id} (${marks.filter(Boolean).join(", ")})`],
    ["project", row.project ?? "every project"],
    ["valid", `from ${when(row.valid_from)}${row.valid_to === null ? "" : ` until ${when(row.valid_to)}`}`],
    ["source", sourceText(row)],
    ...(session === undefined
      ? []
      : [["session", `${shortId(session.session_id)} ${titleText(session)}`] satisfies [string, string]]),
    ...(concepts.length > 0 ? [["concepts", concepts.join(", ")] satisfies [string, string]] : []),
    ...fileRows(row),
    ...(successor === undefined
      ? []
      : [["replaced by", `${reference(successor.id, successor.title)}${byModel(row)}`] satisfies [string, string]]),
    ...predecessors.map((one): [string, string] => ["replaces", reference(one.id, one.title)]),
    ...versions.map((one): [string, string] => ["version", `${reference(one.id, one.title)} (${one.producer})`]),
  ];
  const safe = rows.map(([label, value]) => [dim(pad(label, 11)), terminalSafe(value)] as const);
  const parts = [
    `${heading(fit(row.title, columns()))}${row.subtitle === null ? "" : `\n${block(row.subtitle, "")}`}\n${fields(safe)}`,
    block(narrative, "  "),
    ...(facts.length > 0 ? [facts.map((fact) => block(`- ${fact}`, "  ")).join("\n")] : []),
    ...(evidence.length > 0 ? [[dim("── evidence"), ...evidence.map(evidenceText)].join("\n")] : []),
  ];
  return parts.join("\n\n");
}

/** The user was not asked. */
function byModel({ id, superseded_producer: model }: ObservationEntry): string {
  return model === null ? "" : ` (decided by ${model}; undo: c-mem supersede o${id} --undo)`;
}

function sourceText({ producer, origin }: ObservationEntry): string {
  if (producer !== "user" && producer !== "agent") return `${producer}, from the words of the ${origin}`;
  return producer === "user" && origin === "user" ? "you" : "the agent wrote it down";
}

const FILES_SHOWN = 8;

function fileRows(row: ObservationEntry): [string, string][] {
  const { modified, read, other } = observationFiles(row);
  const lists: [string, string[]][] = [
    ["modified", modified],
    ["read", read],
    ["files", other],
  ];
  return lists.filter(([, files]) => files.length > 0).map(([label, files]) => [label, listText(files, FILES_SHOWN)]);
}

/** Longer prompts and messages are cut; `c-mem show m34` prints a whole message. */
const EVIDENCE_CHARS = 1_500;

function evidenceText(item: Evidence): string {
  switch (item.kind) {
    case "gone":
      return `  ${dim(`${item.id} is deleted`)}`;
    case "tool": {
      const outcome = item.outcome === "" ? "" : `  → ${paint(item.isError ? "red" : "green", fit(item.outcome, 30))}`;
      const room = Math.max(16, columns() - item.name.length - item.outcome.length - 20);
      return `  ${item.isError ? paint("red", "✗") : dim("·")} ${paint("cyan", fit(item.name, 40))}  ${fitPath(item.subject, room)}${outcome}  ${dim(item.id)}`;
    }
    default: {
      const cut = item.text.length > EVIDENCE_CHARS ? `… (c-mem show ${item.id} shows all of it)` : "";
      const text = block(item.text.slice(0, EVIDENCE_CHARS) + cut, "    ").trimStart();
      return `  ${item.kind === "prompt" ? paint(["bold", "green"], "❯") : dim("│")} ${text} ${dim(item.id)}`;
    }
  }
}
