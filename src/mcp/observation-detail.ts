// One observation in full: text, origin, whether it is current, evidence.
import { type Evidence, type ObservationStory, readObservation } from "../recall/history/observation.ts";
import { parseObservationId } from "../store/reads/items.ts";
import type { ObservationEntry } from "../store/reads/observation-list.ts";
import { observationFiles } from "../store/tables/observation-files.ts";
import { observationOf } from "../store/tables/observations.ts";
import { type ShortId, shortIds } from "../store/reads/short-ids.ts";
import { cutToTokens, layOut, type Piece } from "./budget.ts";
import type { Call } from "./tool.ts";
import { line, list, pathLine, plain, quoted, quotedLine, when } from "./text.ts";

/** Of one prompt, message or output that it rests on; more of it is a call away. */
const EVIDENCE_TOKENS = 200;
const FILES_SHOWN = 12;

export function describeObservation({ db, now }: Call, id: string, maxTokens: number): string | undefined {
  const number = parseObservationId(id);
  const story = number === undefined ? undefined : readObservation(db, number);
  if (story === undefined) return undefined;
  const { observation: row } = story;
  const { narrative, facts, concepts } = observationOf(row);
  const isTools = row.origin === "tool";
  const own = Math.floor(maxTokens / 2);
  const pieces: Piece[] = [
    ...(row.subtitle === null ? [] : [line(row.subtitle, 200)]),
    isTools ? quoted(narrative, "a tool", own) : cutToTokens(plain(narrative), own),
    ...facts.map((fact) => `- ${isTools ? quotedLine(fact, 400) : line(fact, 400)}`),
    ...fileLines(row),
    ...(concepts.length > 0 ? [`concepts: ${concepts.join(", ")}`] : []),
    ...story.versions.map((one) => `another version: ${reference(one)} (${line(one.producer, 60)})`),
    ...story.predecessors.map((one) => `replaces ${reference(one)}`),
    ...story.evidence.map((item) => evidenceText(item, now)),
  ].map((text) => ({ text }));
  return layOut(
    { head: headText(story, now, shortIds(db, [story.session?.session_id])), pieces, foot: leftOut },
    maxTokens,
  );
}

function fileLines(row: ObservationEntry): string[] {
  const { modified, read, other } = observationFiles(row);
  const named = (label: string, files: readonly string[]): string[] =>
    files.length === 0
      ? []
      : [
          `${label}: ${list(
            files.map((path) => pathLine(path, 100)),
            FILES_SHOWN,
          )}`,
        ];
  return [...named("files modified", modified), ...named("files read", read), ...named("files", other)];
}

/** Also for the other details. */
export function leftOut(left: number): string {
  return left === 0 ? "" : `(${left} more parts did not fit: ask for this id alone, or raise max_tokens.)`;
}

function headText({ observation: row, session, successor }: ObservationStory, now: number, shortId: ShortId): string {
  const title = row.origin === "tool" ? quotedLine(row.title, 200) : line(row.title, 200);
  const from = [
    row.project === null ? "every project" : line(row.project, 60),
    when(row.valid_from, now),
    row.producer === "user" ? "written down by hand" : `by ${line(row.producer, 60)} from what the ${row.origin} said`,
    session !== undefined && `${session.agent} session ${shortId(session.session_id)} turn ${row.prompt_number ?? 0}`,
    row.pinned === 1 && "pinned",
    row.edited_at !== null && "reworded by hand",
    row.is_current === 0 && "another version stands",
  ];
  const replaced = successor === undefined ? [] : [`No longer holds: replaced by ${reference(successor)}`];
  return [`## o${row.id} ${row.type}: ${title}`, `(${from.filter(Boolean).join("; ")})`, ...replaced].join("\n");
}

function reference(one: ObservationEntry): string {
  return `o${one.id} ${line(one.title, 100)}`;
}

function evidenceText(item: Evidence, now: number): string {
  switch (item.kind) {
    case "gone":
      return `evidence ${item.id} is no longer there`;
    case "tool": {
      const outcome = item.outcome === "" ? "" : ` (${item.outcome})`;
      const head = `evidence ${item.id}, ${item.name}${outcome}, ${when(item.at, now)}: ${quotedLine(item.subject, 200)}`;
      return item.output.trim() === "" ? head : `${head}\n${quoted(item.output, item.id, EVIDENCE_TOKENS)}`;
    }
    default:
      return `evidence ${item.id}, ${item.kind}, ${when(item.at, now)}:\n${cutToTokens(plain(item.text), EVIDENCE_TOKENS)}`;
  }
}
