// An overview of a session: its summary, counts, turns, subagents, observations and changed files.
import { iso } from "../core/time.ts";
import { titleOf } from "../core/title.ts";
import { deriveSession } from "../memory/derive.ts";
import { canResume, resumeCommand, resumeLine } from "../recall/history/resume.ts";
import { resolveSession } from "../recall/search/find-session.ts";
import type { Db } from "../store/db/driver.ts";
import { listObservations } from "../store/reads/observation-list.ts";
import { type SessionEntry, subagentsOf } from "../store/reads/session-list.ts";
import { type EntryRow, transcriptEntries } from "../store/reads/transcript-rows.ts";
import { changedFiles } from "../store/tables/file-touches.ts";
import { promptsByIds } from "../store/tables/prompts.ts";
import { sessionSummaries, summaryOf } from "../store/tables/summaries.ts";
import { observationJson, observationSchema } from "./observation-json.ts";
import { defineQuery } from "./query.ts";
import { countOf, jsonOf, defineNames, schemaOf, textOrNull, turnStatusOf } from "./schemas.ts";
import { SESSION } from "./scope.ts";
import {
  sessionJson,
  sessionSchema,
  summariesJson,
  summariesSchema,
  summaryJson,
  summarySchema,
} from "./session-json.ts";

/** Far more than a session has. */
const MAX_OBSERVATIONS = 2_000;

const TURN = defineNames({
  int: ["number"],
  count: ["items", "failed"],
  textOrNull: ["prompt_id", "title"],
  time: ["at"],
  timeOrNull: ["ended_at"],
});
const FILE = defineNames({ text: ["path"], flag: ["created"], count: ["added", "removed"], time: ["last_at"] });

export const session = defineQuery({
  name: "session",
  about: "show a session's summary, counts, turns and files",
  fields: SESSION,
  http: { path: "/api/sessions/:id", tag: "sessions" },
  reply: (z) => ({
    data: sessionSchema(z).extend({
      summary: summarySchema(z).nullable(),
      summaries: summariesSchema(z),
      resume: textOrNull(z).meta({ description: "the agent's command that continues it" }),
      counts: z.strictObject(
        schemaOf(z, {
          count: ["items", "prompts", "messages", "tool_uses", "failed_tool_uses", "subagents", "commits"],
        }),
      ),
      turns: z.array(
        z.strictObject({
          ...schemaOf(z, TURN),
          index: countOf(z).meta({ description: "the position of its first item in the transcript" }),
          status: turnStatusOf(z).nullable(),
        }),
      ),
      subagents: z.array(sessionSchema(z)),
      observations: z.array(observationSchema(z)),
      files: z.array(z.strictObject(schemaOf(z, FILE))),
    }),
  }),
  run({ id }, { db }) {
    const entry = resolveSession(db, id, () => ({})).session;
    deriveSession(db, entry.id, Date.now());
    const summaries = sessionSummaries(db, entry.id);
    const whole = summaries.find((row) => row.is_current === 1);
    const filter = { session: entry.session_id, withSuperseded: true };
    return {
      data: {
        ...sessionJson(entry),
        summary: summaryJson(whole && summaryOf(whole)),
        summaries: summariesJson(summaries),
        resume: canResume(entry) ? resumeLine(resumeCommand(entry), "") : null,
        ...countsAndTurns(db, entry),
        subagents: subagentsOf(db, entry.id).map(sessionJson),
        observations: listObservations(db, filter, MAX_OBSERVATIONS).map(observationJson),
        files: changedFiles(db, entry.id).map((file) => jsonOf(FILE, file)),
      },
      report: entry.report,
    };
  },
});

function countsAndTurns(db: Db, { id }: SessionEntry) {
  const entries = transcriptEntries(db, id);
  const countKind = (kind: EntryRow["kind"]): number => entries.filter((entry) => entry.kind === kind).length;
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
  const counts = {
    items: entries.length,
    prompts: prompts.length,
    messages: countKind("message") + countKind("response"),
    tool_uses: countKind("tool"),
    failed_tool_uses: entries.filter((entry) => entry.is_error === 1).length,
    subagents: countKind("subagent"),
    commits: countKind("commit"),
  };
  return { counts, turns };
}
