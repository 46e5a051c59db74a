// One prompt with its turn, one message, or one tool use with what went in and what came out.
import { type Item, readTranscript, type Turn } from "../recall/history/transcript.ts";
import type { Db } from "../store/db/driver.ts";
import { findItem, type ItemPlace } from "../store/reads/items.ts";
import { observationsOfTurn } from "../store/tables/observations.ts";
import { type SessionEntry, sessionsByIds } from "../store/reads/session-list.ts";
import { type ShortId, shortIds } from "../store/reads/short-ids.ts";
import { itemRow } from "../store/reads/items.ts";
import { cutToTokens, layOut, type Piece } from "./budget.ts";
import type { Call } from "./tool.ts";
import { leftOut } from "./observation-detail.ts";
import { line, plain, quoted, quotedLine, when } from "./text.ts";

export function describeItem({ db, now }: Call, id: string, maxTokens: number): string | undefined {
  const place = findItem(db, id);
  const row = place === undefined ? undefined : itemRow(db, id);
  const session = place === undefined ? undefined : sessionsByIds(db, [place.session_db_id])[0];
  if (place === undefined || row === undefined || session === undefined) return undefined;
  const source = sourceText(session, place, { now, id: shortIds(db, [session.session_id])(session.session_id) });
  const head = (what: string): string => `## ${id} ${what}\n(${source})`;
  const room = maxTokens - 80;
  switch (row.kind) {
    case "prompt":
      return promptText(db, { id, session, place, head: head("prompt") }, maxTokens);
    case "message":
      return messageText(head("message"), row, room);
    case "tool": {
      const outcome =
        row.use.is_error === 1 ? `failed${row.use.exit_code === null ? "" : `, exit ${row.use.exit_code}`}` : "passed";
      const input = quoted(row.use.input, `${id} input`, Math.floor(room / 3));
      const output = quoted(row.use.output ?? "", `${id} output`, Math.floor((room * 2) / 3) - 10);
      return [head(`${line(row.use.name, 80)} (${outcome})`), input, output].join("\n");
    }
  }
}

function messageText(head: string, { text, thinking }: { text: string; thinking: string }, maxTokens: number): string {
  if (thinking === "") return `${head}\n${cutToTokens(plain(text), maxTokens)}`;
  const half = Math.floor(maxTokens / 2);
  const said = text === "" ? [] : [cutToTokens(plain(text), half)];
  return [head, ...said, `(what it thought before)\n${cutToTokens(plain(thinking), half - 10)}`].join("\n");
}

function sourceText(
  session: SessionEntry,
  { prompt_number, created_at }: ItemPlace,
  { now, id }: { now: number; id: string },
): string {
  const title = line(session.title ?? session.subtitle ?? "", 100);
  return `${line(session.project, 60)}; ${when(created_at, now)}; ${session.agent} session ${id} turn ${prompt_number}${title === "" ? "" : `: ${title}`}`;
}

interface PromptPlace {
  id: string;
  session: SessionEntry;
  place: ItemPlace;
  head: string;
}

/** The prompt and the result before the steps between. */
function promptText(db: Db, { session, place, head }: PromptPlace, maxTokens: number): string {
  const turn = readTranscript(db, session).turns.find((one) => one.number === place.prompt_number);
  const third = Math.floor(maxTokens / 3);
  const end = turn?.items.findLastIndex((item) => item.kind === "message" && item.role === "assistant") ?? -1;
  const observations = observationsOfTurn(db, session.id, place.prompt_number).filter((row) => row.is_current);
  const subagents = (turn?.items ?? []).map((item) => (item.kind === "subagent" ? item.session.session_id : undefined));
  const pieces: Piece[] = [
    { text: cutToTokens(plain(turn?.prompt?.text ?? ""), third), rank: -3 },
    ...observations.map((row) => ({ text: `o${row.id} ${row.type}: ${line(row.title, 100)}`, rank: -1 })),
    ...itemPieces(turn, { end, maxTokens: third, shortId: shortIds(db, subagents) }),
    ...(turn?.commits ?? []).map(({ sha, subject }) => ({ text: `commit ${sha.slice(0, 9)} ${line(subject, 100)}` })),
  ];
  return layOut({ head, pieces, foot: leftOut }, maxTokens);
}

interface ItemForm {
  /** Index of the last message. */
  end: number;
  maxTokens: number;
  shortId: ShortId;
}

function itemPieces(turn: Turn | undefined, { end, maxTokens, shortId }: ItemForm): Piece[] {
  return (turn?.items ?? []).map((item, index) =>
    index === end && item.kind === "message"
      ? { text: `${item.id ?? "response"}, the last words:\n${cutToTokens(plain(item.text), maxTokens)}`, rank: -2 }
      : { text: itemLine(item, shortId), rank: index + 1 },
  );
}

function itemLine(item: Item, shortId: ShortId): string {
  switch (item.kind) {
    case "message":
      return `${item.id ?? "response"} ${item.role}: ${line(item.text, 200)}`;
    case "subagent":
      return `subagent ${shortId(item.session.session_id)}: ${line(item.session.title ?? item.session.report ?? "", 120)} (${item.items.length} items)`;
    case "tool": {
      const outcome = item.outcome === "" ? "" : ` → ${item.outcome}`;
      return `${item.id} ${line(item.name, 60)} ${quotedLine(item.subject, 140)}${outcome}`;
    }
  }
}
