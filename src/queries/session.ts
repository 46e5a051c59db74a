// One session: what it came to and what there is of it; and its items page by page.
import { iso } from "../core/time.ts";
import { titleOf } from "../core/title.ts";
import { deriveSession } from "../memory/derive.ts";
import { resolveSession } from "../recall/search/find-session.ts";
import { canResume, resumeCommand, resumeLine } from "../recall/history/resume.ts";
import { type PageEntry, type SessionItem, readTranscriptPage } from "../recall/history/session-items.ts";
import type { Db } from "../store/db/driver.ts";
import { changedFiles } from "../store/tables/file-touches.ts";
import { listObservations } from "../store/reads/observation-list.ts";
import { type SessionEntry, subagentsOf } from "../store/reads/session-list.ts";
import { currentSummary, summaryOf, WHOLE_SESSION } from "../store/tables/summaries.ts";
import { type EntryRow, transcriptEntries } from "../store/reads/transcript-rows.ts";
import { promptsByIds } from "../store/tables/prompts.ts";
import { type Asked, questionOf } from "./legacy.ts";
import type { Answer, Json } from "./envelope.ts";
import { observationJson } from "./observation-json.ts";
import { positiveInteger, readOffset } from "./legacy.ts";
import { sessionJson, summaryJson } from "./session-json.ts";
import { type Detail, itemJson } from "./transcript-json.ts";

/** No session has that many. */
const MAX_OBSERVATIONS = 2_000;

export function answerSession(asked: Asked, name: string): Answer {
  const { db } = asked;
  const session = sessionOf(asked, name);
  deriveSession(db, session.id, Date.now());
  const whole = currentSummary(db, session.id, WHOLE_SESSION);
  const filter = { session: session.session_id, withSuperseded: true };
  return {
    data: {
      ...sessionJson(session),
      summary: summaryJson(whole && summaryOf(whole)),
      resume: resumeOf(session),
      ...outline(db, session),
      subagents: subagentsOf(db, session.id).map(sessionJson),
      observations: listObservations(db, filter, MAX_OBSERVATIONS).map(observationJson),
      files: changedFiles(db, session.id).map(({ path, created, added, removed, last_at }) => ({
        path,
        created: created === 1,
        added,
        removed,
        last_at: iso(last_at),
      })),
    },
  };
}

/** Null where it is not known how its agent does that. */
function resumeOf(session: SessionEntry): string | null {
  return canResume(session) ? resumeLine(resumeCommand(session), "") : null;
}

export function sessionOf(asked: Asked, name: string): SessionEntry {
  return resolveSession(asked.db, name, () => questionOf(asked, 1).scope).session;
}

/** Where in the session each turn begins, and how much of everything there is. */
function outline(db: Db, session: SessionEntry): Json {
  const entries = transcriptEntries(db, session.id);
  const of = (kind: EntryRow["kind"]): number => entries.filter((entry) => entry.kind === kind).length;
  const prompts = entries.filter((entry) => entry.kind === "prompt").map((entry) => entry.id);
  const texts = new Map(promptsByIds(db, prompts).map((row) => [row.id, row]));
  const turns = [...Map.groupBy(entries.entries(), ([, entry]) => entry.prompt_number)].map(([number, inside]) => {
    const [[index, first]] = inside as [[number, EntryRow]];
    const prompt = first.kind === "prompt" ? texts.get(first.id) : undefined;
    return {
      number,
      index,
      items: inside.length,
      failed: inside.filter(([, entry]) => entry.is_error === 1).length,
      prompt_id: prompt === undefined ? null : `p${prompt.id}`,
      title: prompt === undefined ? null : titleOf(prompt.text),
      at: iso(first.at),
      ended_at: iso(prompt?.ended_at),
      status: prompt?.state ?? null,
    };
  });
  return {
    counts: {
      items: entries.length,
      prompts: prompts.length,
      messages: of("message") + of("response"),
      tool_uses: of("tool"),
      failed_tool_uses: entries.filter((entry) => entry.is_error === 1).length,
      subagents: of("subagent"),
      commits: of("commit"),
    },
    turns,
  };
}

const PAGE = 100;
const MAX_PAGE = 1_000;

/** `from` and `limit` count items of the session as it reads; `around` names the item that must be on the page. */
export function answerTranscript(asked: Asked, name: string): Answer {
  const { db, flags } = asked;
  const session = sessionOf(asked, name);
  const wanted = flags["limit"] === undefined ? PAGE : positiveInteger("limit", flags["limit"]);
  const page = readTranscriptPage(db, session, {
    from: readOffset({ offset: flags["from"] }),
    limit: Math.min(wanted, MAX_PAGE),
    around: flags["around"] === undefined ? undefined : String(flags["around"]),
  });
  return {
    data: { session_id: session.session_id, results: page.entries.map(entryJson) },
    meta: { total: page.total, from: page.from, has_more: page.from + page.entries.length < page.total },
  };
}

function entryJson({ index, turn, item, observations }: PageEntry): Json {
  return { index, turn, ...pageItemJson(item), observations };
}

export function pageItemJson(item: SessionItem, detail: Detail = { tools: true, thinking: true }): Json {
  switch (item.kind) {
    case "prompt":
    case "commit":
      return { ...item, at: iso(item.at) };
    case "subagent":
      return { kind: item.kind, at: iso(item.at), ...sessionJson(item.session), report: item.session.report };
    default:
      return itemJson(item, detail);
  }
}
