// Lays out why lines are there, for people.
import { count } from "../core/text.ts";
import { terminalSafe } from "../core/terminal.ts";
import { columns, fit } from "../platform/terminal/layout.ts";
import { dim, heading, paint } from "../platform/terminal/style.ts";
import type { ShortId } from "../store/reads/short-ids.ts";
import type { TextContext } from "./query.ts";
import { conversationOf, shortIdsOf, when } from "./session-text.ts";
import type { WhyResult } from "./why.ts";

interface Reply {
  data: { results: WhyResult[] };
  meta: { kind: "file" | "commit"; path: string | null; commit: string | null; is_deleted: boolean; also: string[] };
}

export function whyText({ data: { results }, meta }: Reply, { db }: Pick<TextContext<unknown>, "db">): string {
  const shortId = shortIdsOf(
    db,
    results.map((each) => (each.session_id === null ? null : { ...each, session_id: each.session_id })),
  );
  const version =
    meta.commit === null ? "" : ` at ${meta.commit.slice(0, 9)}${meta.is_deleted ? " (deleted since)" : ""}`;
  const [first] = results;
  if (meta.kind === "commit" && first !== undefined) {
    const sessions = results.filter((each) => each.session_id !== null);
    const note = sessions.length === 0 ? "no recorded session" : `${count(sessions.length, "session")} behind it`;
    const title = `${paint("yellow", meta.commit?.slice(0, 9) ?? "")} ${fit(first.subject ?? "", columns() - 12)}`;
    const who = dim(`${terminalSafe(first.author ?? "")}, ${dateOf(first.committed_at)}, ${note}`);
    return [`${title}\n${who}`, ...sessions.map((each) => resultText(each, shortId))].join("\n\n");
  }
  if (first === undefined)
    return `${heading(fit(`${meta.path}${version}`, columns()))}\n\n${dim("The file is empty.")}`;
  // The same turn often wrote several ranges: only the first says everything.
  const seen = new Set<string>();
  const texts = results.map((each) => {
    const key = `${each.session_id} ${each.prompt_number}`;
    const isKnown = each.session_id !== null && seen.has(key);
    seen.add(key);
    return resultText(each, shortId, isKnown);
  });
  const also = meta.also.length === 0 ? [] : [dim(fit(`also defined in ${meta.also.join(", ")}`, columns()))];
  return [heading(fit(`${meta.path ?? ""}${version}`, columns())), ...also, ...texts].join("\n");
}

/** What is said in place of a commit. */
export const NO_COMMIT: Readonly<Record<WhyResult["committed"], string>> = {
  yes: "",
  no: "not committed",
  cut: "before the clone's history",
  unknown: "commit unknown",
};

const LINES_WIDTH = 11;
const INDENT = " ".repeat(LINES_WIDTH + 1);

function resultText(each: WhyResult, shortId: ShortId, isKnown = false): string {
  const range = each.lines === null ? "" : each.lines[0] === each.lines[1] ? `${each.lines[0]}` : each.lines.join("-");
  const head = each.lines === null ? "" : `${paint("cyan", range.padEnd(LINES_WIDTH))} `;
  const indent = each.lines === null ? "    " : INDENT;
  const commit = each.commit === null ? dim(NO_COMMIT[each.committed]) : commitText(each);
  if (each.session_id === null) {
    if (each.commit === null) return `${head}${dim(`${NO_COMMIT[each.committed]}, no recorded session`)}`;
    return `${head}${terminalSafe(each.author ?? "")}, ${dateOf(each.committed_at)}, no recorded session  ${commit}`;
  }
  const id = shortId(conversationOf({ ...each, session_id: each.session_id }));
  const by = each.parent_session_id === null ? "" : `, by a subagent (${shortId(each.session_id)})`;
  const certain =
    each.confidence === null || each.confidence >= 1 ? "" : dim(` (${Math.round(each.confidence * 100)}%)`);
  const made = each.lines !== null && each.basis === "commit" ? "committed by " : "";
  const turn = `${made}${paint("yellow", id)} ${dim(`turn ${each.prompt_number ?? "?"}${by}`)}${certain}`;
  const first = `${head}${turn}  ${each.at === null ? "" : when(each.at)}  ${terminalSafe(each.agent ?? "")}`;
  if (isKnown) return `${first}  ${commit}`;
  const width = columns() - indent.length - 2;
  return [
    first,
    each.prompt === null ? dim("(no prompt recorded)") : `${fit(each.prompt, width - 8)}  ${dim(each.prompt_id ?? "")}`,
    ...(each.result === null ? [] : [fit(`→ ${each.result}`, width)]),
    ...(each.decision === null
      ? []
      : [paint("green", fit(`${each.decision.type} ${each.decision.id}: ${each.decision.title}`, width))]),
    ...(each.lines === null ? [] : [commit]),
  ].join(`\n${indent}`);
}

function commitText({ commit, subject }: WhyResult): string {
  return `${paint("magenta", "commit")} ${paint("yellow", (commit ?? "").slice(0, 9))} ${fit(subject ?? "", columns() - INDENT.length - 20)}`;
}

const DATE = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const DATE_WITH_YEAR = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** "3 May", or "3 May 2025" for another year. */
function dateOf(iso: string | null): string {
  if (iso === null) return "at an unknown time";
  const date = new Date(iso);
  return (date.getFullYear() === new Date().getFullYear() ? DATE : DATE_WITH_YEAR).format(date);
}
