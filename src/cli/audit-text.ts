// What an audit found and did, for people: places and kinds, none of the words.
import type { FileFix } from "../upkeep/audit/clean.ts";
import type { Audit, Finding } from "../upkeep/audit/audit.ts";
import { count } from "../core/text.ts";
import { bytes, dim, fields } from "../platform/terminal/style.ts";
import { paint } from "../platform/terminal/style.ts";

export interface AuditReceipt {
  rows: number;
  kinds: Record<string, number>;
  files: { file: string; fix: FileFix }[];
  problems: string[];
  before: Audit;
}

const SHOWN = 40;

export function auditText(found: Audit): string {
  const { findings } = found;
  if (findings.length === 0) return `${paint("green", "Clean.")} ${lookedText(found)}.${unreadableText(found)}`;
  const lines = findings.slice(0, SHOWN).map(findingText);
  const more = findings.length > SHOWN ? [dim(`  and ${findings.length - SHOWN} more (--json lists all)`)] : [];
  const places = count(findings.length, "place");
  return [
    `${paint("red", `${places} with what should not be stored.`)} ${lookedText(found)}.${unreadableText(found)}`,
    ...lines,
    ...more,
    "c-mem audit --fix takes it out everywhere.",
  ].join("\n");
}

function lookedText({ files, bytes: size, texts }: Audit): string {
  return `Looked at ${count(texts, "text")} and ${count(files, "file")} (${bytes(size)})`;
}

function unreadableText({ unreadable }: Audit): string {
  return unreadable.length === 0 ? "" : `\nNot readable, only their bytes were looked at: ${unreadable.join(", ")}`;
}

function findingText(finding: Finding): string {
  const { file, table, column, row, session_id: session, offset, isDead } = finding;
  const where =
    table === undefined
      ? `${file}${offset === undefined ? "" : ` at byte ${offset}`}${isDead ? " (free space)" : ""}`
      : `${file}: ${table}.${column}, row ${row}${session ? `, session ${session}` : ""}`;
  return `  ${paint("yellow", kindsText(finding.kinds))}  ${where}`;
}

function kindsText(kinds: Record<string, number>): string {
  return Object.entries(kinds)
    .map(([name, number]) => (number === 1 ? name : `${name} x${number}`))
    .join(", ");
}

export function receiptText({ rows, kinds, files, before }: AuditReceipt, after: Audit): string {
  const left = files.filter((one) => one.fix === "left").map(({ file }) => file);
  const removed = files.filter((one) => one.fix === "removed").map(({ file }) => file);
  const lines: [string, string][] = [
    ["found", `${kindsText(kinds)} in ${count(before.findings.length, "place")}`],
    ["rewritten", `${count(rows, "row")}, ${count(files.filter((one) => one.fix === "rewritten").length, "file")}`],
    ...(removed.length > 0 ? [["removed", removed.join(", ")] satisfies [string, string]] : []),
    ...(left.length > 0 ? [["yours to mend", left.join(", ")] satisfies [string, string]] : []),
    ["looked again", after.findings.length === 0 ? "nothing is left" : `${count(after.findings.length, "place")} left`],
    ["not ours", dim("the agents' own transcripts, backups elsewhere; change what was exposed at its provider")],
  ];
  const head =
    after.findings.length === 0 ? paint("green", "Clean now.") : paint("red", "Not all of it could be taken out.");
  const rest = after.findings.length === 0 ? [] : after.findings.slice(0, SHOWN).map(findingText);
  return [head, fields(lines), ...rest].join("\n");
}
