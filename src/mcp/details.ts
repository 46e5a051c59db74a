// Describes one observation, item or session in full, within a token budget.
import { count, listText } from "../core/text.ts";
import { copiesText } from "../queries/observation-text.ts";
import { observation as observationQuery } from "../queries/observations.ts";
import type { DataOf } from "../queries/query.ts";
import { items } from "../queries/session-items.ts";
import { titleText } from "../queries/session-text.ts";
import { session as sessionQuery } from "../queries/session.ts";
import { show } from "../queries/show.ts";
import type { Item, Transcript } from "../recall/history/transcript.ts";
import { resolveSession } from "../recall/search/find-session.ts";
import { findItem } from "../store/reads/items.ts";
import { type ShortId, shortIds } from "../store/reads/short-ids.ts";
import { observationsOfTurn } from "../store/tables/observations.ts";
import { cutToTokens, fitReply, type ReplyPart } from "./budget.ts";
import { safeLine, pathLine, safeLines, quoted, quotedLine, titleLine, when } from "./text.ts";
import { type Call, runQuery } from "./tool.ts";

/** Limit for each item of evidence. get_observations with the id of the item shows more of it. */
const MAX_EVIDENCE_TOKENS = 200;
const FILES_SHOWN = 12;

export async function observationDetail(id: string, call: Call, maxTokens: number): Promise<string> {
  const { db, now } = call;
  const { data: row } = await runQuery(observationQuery, { id }, call);
  const { narrative, files_modified: modified, files_read: read } = row;
  const isTools = row.origin === "tool";
  const own = Math.floor(maxTokens / 2);
  const other = row.files.filter((path) => !modified.includes(path) && !read.includes(path));
  const shortId = shortIds(db, [row.session?.session_id]);
  const from = [
    row.project === null ? "every project" : safeLine(row.project, 60),
    when(row.valid_from, now),
    row.producer === "user" || row.producer === "agent"
      ? `written by the ${row.origin === "user" ? "user" : "agent"}`
      : `by ${safeLine(row.producer, 60)} from what the ${row.origin} said`,
    row.session !== null && `${row.agent} session ${shortId(row.session.session_id)} turn ${row.prompt_number ?? 0}`,
    row.pinned && "pinned",
    row.edited_at !== null && "reworded by the user",
    !row.is_current && "another version is current",
    row.copies > 0 && copiesText(row.copies),
  ];
  const head = [
    `## ${row.id} ${row.type}: ${titleLine(row, 200)}`,
    `(${from.filter(Boolean).join("; ")})`,
    ...(row.replaced_by === null ? [] : [`No longer valid: replaced by ${reference(row.replaced_by)}`]),
  ];
  const parts = [
    ...(row.subtitle === null ? [] : [safeLine(row.subtitle, 200)]),
    isTools ? quoted(narrative, "a tool", own) : cutToTokens(safeLines(narrative), own),
    ...row.facts.map((fact) => `- ${isTools ? quotedLine(fact, 400) : safeLine(fact, 400)}`),
    ...filesLine("files modified", modified),
    ...filesLine("files read", read),
    ...filesLine("files", other),
    ...(row.concepts.length > 0 ? [`concepts: ${row.concepts.join(", ")}`] : []),
    ...row.versions.map((one) => `another version: ${reference(one)} (${safeLine(one.producer, 60)})`),
    ...row.replaces.map((one) => `replaces ${reference(one)}`),
    ...row.evidence.map((item) => evidenceText(item, now)),
  ];
  return fitReply({ head: head.join("\n"), parts: parts.map((text) => ({ text })), foot: omittedNote }, maxTokens);
}

function reference({ id, title }: { id: string; title: string }): string {
  return `${id} ${safeLine(title, 100)}`;
}

function filesLine(label: string, files: readonly string[]): string[] {
  const names = files.map((path) => pathLine(path, 100));
  return names.length === 0 ? [] : [`${label}: ${listText(names, FILES_SHOWN)}`];
}

function omittedNote(left: number): string {
  return left === 0 ? "" : `(${left} more parts did not fit: ask for this id alone, or raise max_tokens.)`;
}

function evidenceText(item: DataOf<typeof observationQuery>["evidence"][number], now: number): string {
  switch (item.kind) {
    case "gone":
      return `evidence ${item.id} is deleted`;
    case "tool": {
      const outcome = item.outcome === "" ? "" : ` (${item.outcome})`;
      const head = `evidence ${item.id}, ${item.name}${outcome}, ${when(item.at, now)}: ${quotedLine(item.subject, 200)}`;
      return item.output.trim() === "" ? head : `${head}\n${quoted(item.output, item.id, MAX_EVIDENCE_TOKENS)}`;
    }
    default:
      return `evidence ${item.id}, ${item.kind}, ${when(item.at, now)}:\n${cutToTokens(safeLines(item.text), MAX_EVIDENCE_TOKENS)}`;
  }
}

const SUMMARY_LABELS = {
  request: "asked for",
  investigated: "investigated",
  learned: "learned",
  completed: "done",
  next_steps: "next",
  notes: "notes",
} as const;

export async function sessionDetail(id: string, call: Call, maxTokens: number): Promise<string> {
  const { data: session, report } = await runQuery(sessionQuery, { id }, call);
  const shortId = shortIds(call.db, [session.session_id, session.parent_session_id]);
  const summary = Object.entries(SUMMARY_LABELS).flatMap(([field, label]) => {
    const text = safeLines(session.summary?.[field as keyof typeof SUMMARY_LABELS] ?? "");
    return text === "" ? [] : [`${label}: ${cutToTokens(text, Math.floor(maxTokens / 6))}`];
  });
  const known = session.observations.filter((row) => row.is_current).toReversed();
  const [current] = session.summaries;
  const parts = [
    ...(current?.handover ?? []).map((line) => `handover: ${safeLine(line, 300)}`),
    ...summary,
    ...known.map((row) => `${row.id} ${row.type}: ${titleLine(row, 120)}`),
    ...session.turns.flatMap(({ prompt_id: prompt, number, title }) =>
      prompt === null ? [] : [`${prompt} turn ${number}: ${safeLine(title ?? "", 120)}`],
    ),
    ...(report === null ? [] : [`report: ${cutToTokens(safeLines(report), Math.floor(maxTokens / 3))}`]),
  ];
  const from = [
    safeLine(session.project, 60),
    `${session.agent}, id ${session.session_id}`,
    session.parent_session_id !== null && `subagent of ${shortId(session.parent_session_id)}`,
    session.git_branch !== null && `branch ${safeLine(session.git_branch, 60)}`,
    `last active ${when(session.last_at, call.now)}`,
    session.status,
    `${count(session.prompts, "prompt")}, ${count(session.tool_uses, "tool use")}, ${count(session.files_changed, "file")} changed`,
  ];
  const head = `## session ${shortId(session.session_id)}: ${safeLine(titleText(session), 160)}\n(${from.filter(Boolean).join("; ")})`;
  return fitReply({ head, parts: parts.map((text) => ({ text })), foot: omittedNote }, maxTokens);
}

/** A prompt with its turn, a message, or a tool use with its input and output. */
export async function itemDetail(id: string, call: Call, maxTokens: number): Promise<string> {
  const { db, now } = call;
  const { session } = resolveSession(db, id, () => ({}));
  const { prompt_number: turn = 0, created_at: at = 0 } = findItem(db, id) ?? {};
  const title = safeLine(session.title ?? session.subtitle ?? "", 100);
  const position = `${session.agent} session ${shortIds(db, [session.session_id])(session.session_id)} turn ${turn}`;
  const source = `(${safeLine(session.project, 60)}; ${when(at, now)}; ${position}${title === "" ? "" : `: ${title}`})`;
  const room = maxTokens - 80;
  const [item] = (await runQuery(items, { id, ids: [id], whole: true }, call)).data.results;
  if (item?.kind === "tool") {
    const exit = item.exit_code === null ? "" : `, exit ${item.exit_code}`;
    const input = typeof item.input === "string" ? item.input : JSON.stringify(item.input);
    return [
      `## ${id} ${safeLine(item.name, 80)} (${item.is_error ? `failed${exit}` : "passed"})\n${source}`,
      quoted(input, `${id} input`, Math.floor(room / 3)),
      quoted(item.output ?? "", `${id} output`, Math.floor((room * 2) / 3) - 10),
    ].join("\n");
  }
  if (item?.kind === "message") return messageText(`## ${id} message\n${source}`, item, room);
  const found = await runQuery(show, { id: session.session_id, turn }, call);
  const parts = "transcript" in found ? turnParts(found.transcript, call, Math.floor(maxTokens / 3)) : [];
  return fitReply({ head: `## ${id} prompt\n${source}`, parts, foot: omittedNote }, maxTokens);
}

function messageText(head: string, message: { text: string; thinking: string | null }, maxTokens: number): string {
  const { text, thinking } = message;
  if (thinking === null) return `${head}\n${cutToTokens(safeLines(text), maxTokens)}`;
  const half = Math.floor(maxTokens / 2);
  const said = text === "" ? [] : [cutToTokens(safeLines(text), half)];
  return [head, ...said, `(thinking)\n${cutToTokens(safeLines(thinking), half - 10)}`].join("\n");
}

/** By rank: the prompt, the last message, the observations, then everything in between. */
function turnParts({ session, turns: [turn] }: Transcript, { db }: Call, maxTokens: number): ReplyPart[] {
  if (turn === undefined) return [];
  const end = turn.items.findLast((item) => item.kind === "message" && item.role === "assistant");
  const known = observationsOfTurn(db, session.id, turn.number).filter((row) => row.is_current);
  const shortId = shortIds(
    db,
    turn.items.map((item) => (item.kind === "subagent" ? item.session.session_id : undefined)),
  );
  return [
    { text: cutToTokens(safeLines(turn.prompt?.text ?? ""), maxTokens), rank: -3 },
    ...known.map((row) => ({ text: `o${row.id} ${row.type}: ${titleLine(row, 100)}`, rank: -1 })),
    ...turn.items.map((item, index) =>
      item === end && item.kind === "message"
        ? { text: `${item.id ?? "response"}, last message:\n${cutToTokens(safeLines(item.text), maxTokens)}`, rank: -2 }
        : { text: itemLine(item, shortId), rank: index + 1 },
    ),
    ...turn.commits.map(({ sha, subject }) => ({ text: `commit ${sha.slice(0, 9)} ${safeLine(subject, 100)}` })),
  ];
}

function itemLine(item: Item, shortId: ShortId): string {
  switch (item.kind) {
    case "message":
      return `${item.id ?? "response"} ${item.role}: ${safeLine(item.text, 200)}`;
    case "subagent":
      return `subagent ${shortId(item.session.session_id)}: ${safeLine(item.session.title ?? item.session.report ?? "", 120)} (${item.items.length} items)`;
    case "tool": {
      const outcome = item.outcome === "" ? "" : ` → ${item.outcome}`;
      return `${item.id} ${safeLine(item.name, 60)} ${quotedLine(item.subject, 140)}${outcome}`;
    }
  }
}
