// One session: its summary, observations and turns.
import { titleOf } from "../core/title.ts";
import { observationsOfSession } from "../store/tables/observations.ts";
import { sessionsByPrefix } from "../store/reads/session-list.ts";
import { shortIds } from "../store/reads/short-ids.ts";
import { summariesOfTurn, type SummaryRow, WHOLE_SESSION } from "../store/tables/summaries.ts";
import { turnsOfSession } from "../store/reads/timeline.ts";
import { cutToTokens, layOut, type Piece } from "./budget.ts";
import type { Call } from "./tool.ts";
import { leftOut } from "./observation-detail.ts";
import { line, plain, plural, when } from "./text.ts";

const FIELDS: readonly [keyof SummaryRow & string, string][] = [
  ["request", "asked for"],
  ["investigated", "looked into"],
  ["learned", "learned"],
  ["completed", "done"],
  ["next_steps", "next"],
  ["notes", "notes"],
];

const MAX_ALIKE = 4;

/** More of the ids, where several sessions begin so. */
export function describeSession({ db, now }: Call, id: string, maxTokens: number): string | string[] | undefined {
  const found = sessionsByPrefix(db, id, MAX_ALIKE);
  const [session] = found;
  if (session === undefined) return undefined;
  if (found.length > 1) return found.map((one) => line(one.session_id, 80));
  const shortId = shortIds(db, [session.session_id, session.parent_session_id]);
  const summary = summariesOfTurn(db, session.id, WHOLE_SESSION).find((row) => row.is_current === 1);
  const pieces: Piece[] = [
    ...FIELDS.flatMap(([field, label]) => {
      const text = plain(String(summary?.[field] ?? ""));
      return text === "" ? [] : [`${label}: ${cutToTokens(text, Math.floor(maxTokens / 6))}`];
    }),
    ...observationsOfSession(db, session.id).map((row) => `o${row.id} ${row.type}: ${line(row.title, 120)}`),
    ...turnsOfSession(db, session.id).map(
      (turn) => `p${turn.id} turn ${turn.prompt_number}: ${line(titleOf(turn.text), 120)}`,
    ),
    ...(session.report === null ? [] : [`report: ${cutToTokens(plain(session.report), Math.floor(maxTokens / 3))}`]),
  ].map((text) => ({ text }));
  const from = [
    line(session.project, 60),
    `${session.agent}, id ${session.session_id}`,
    session.parent_session_id !== null && `subagent of ${shortId(session.parent_session_id)}`,
    session.git_branch !== null && `branch ${line(session.git_branch, 60)}`,
    `last active ${when(session.last_at, now)}`,
    session.status,
    `${plural(session.prompt_count, "prompt")}, ${plural(session.tool_uses, "tool use")}, ${plural(session.files_changed, "file")} changed`,
  ];
  const head = `## session ${shortId(session.session_id)}: ${line(session.title ?? session.subtitle ?? "(untitled)", 160)}\n(${from.filter(Boolean).join("; ")})`;
  return layOut({ head, pieces, foot: leftOut }, maxTokens);
}
