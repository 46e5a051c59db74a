// Events that editors report over HTTP go to the spool like a hook's: same conversion, same filter.
import { isAbsolute } from "node:path";
import { claudeCodeWire } from "../agents/claude-code/event.ts";
import { drainBriefly } from "../queries/cached-store.ts";
import type { Answer } from "../queries/envelope.ts";
import { storedId } from "../capture/live/ids.ts";
import { admitEvent, type Withheld } from "../capture/live/admit-event.ts";
import { writeDrop } from "../capture/live/spool.ts";
import { findCaptureContext, type CaptureContext } from "../capture/capture-context.ts";
import { AppError } from "../core/error.ts";
import { filterText } from "../core/privacy/filter.ts";
import type { QueryContext } from "../queries/query.ts";
import type { Db } from "../store/db/driver.ts";
import { projectOfSession, projectsNamed } from "../store/tables/projects.ts";
import { type SessionEntry, sessionsByIds } from "../store/reads/session-list.ts";
import { findSession } from "../store/tables/sessions.ts";

export interface EventSource {
  sessionId: string | number | undefined;
  project?: string | undefined;
  cwd?: string | undefined;
  agent?: string | undefined;
}

/** The agent's name if none is given. */
const OTHER_AGENT = "other";

/** `command` and `payload` are those of the hook that reports the same event. */
export function recordEvent(
  context: QueryContext,
  source: EventSource,
  command: string,
  payload: Record<string, unknown>,
): Answer {
  const { db, paths } = context;
  const known = sessionOf(db, source.sessionId);
  const sessionId = known?.session_id ?? storedId(String(source.sessionId ?? ""));
  const { cwd, captureContext } = findWhere(context, source, known);
  const event = claudeCodeWire.event({
    command,
    payload: { ...payload, session_id: sessionId, cwd },
    cwd: () => cwd,
    readEnd: () => undefined,
    at: Date.now(),
    env: {},
  });
  if (event === undefined) throw new AppError("usage", "The event is empty.", { hint: "See /api/docs." });
  const agent = known?.agent ?? source.agent ?? OTHER_AGENT;
  const captured = admitEvent({ ...event, agent }, captureContext, paths);
  if (typeof captured === "string") return withheld(sessionId, captured);
  writeDrop(paths.spool, captured);
  // The reply to a first prompt carries the session's id here; other events can wait for the worker.
  if (command === "new") drainBriefly(db, paths);
  return recorded(db, sessionId);
}

/** By the agent's id or, as a number, by ours. */
function sessionOf(db: Db, id: string | number | undefined): SessionEntry | undefined {
  if (id === undefined || id === "") throw new AppError("usage", "sessionId is missing.");
  const own = findSession(db, storedId(String(id)))?.id ?? (/^\d{1,15}$/.test(String(id)) ? Number(id) : undefined);
  return own === undefined ? undefined : sessionsByIds(db, [own])[0];
}

/** The folder: as given, else the session's, else the project's. */
function findWhere(
  { db, paths, env }: QueryContext,
  { cwd, project }: EventSource,
  known: SessionEntry | undefined,
): { cwd: string; captureContext: CaptureContext } {
  if (cwd !== undefined && !isAbsolute(cwd)) throw new AppError("usage", "cwd must be an absolute path.");
  const filed = known === undefined ? undefined : projectOfSession(db, known.session_id);
  const named = project === undefined || cwd !== undefined ? undefined : projectsNamed(db, project)[0];
  const folder = cwd ?? known?.cwd ?? named?.root;
  if (folder === undefined && project === undefined)
    throw new AppError("usage", "cwd is missing.", { hint: "Send cwd, the folder the session works in." });
  const captureContext = findCaptureContext(folder || "/", paths.config, env);
  if (cwd !== undefined) return { cwd, captureContext };
  const of = filed ?? named;
  const name = filterText(project ?? "");
  return {
    cwd: folder || "/",
    // A project without a known folder is identified by its name.
    captureContext: { ...captureContext, project: of ?? { key: `name:${name}`, name, root: "" } },
  };
}

function withheld(sessionId: string, why: Withheld): Answer {
  return { data: { session_id: sessionId, session_db_id: null, prompt_number: null, recorded: false, why } };
}

/** The event is on disk; the reply has what is in the database so far. */
function recorded(db: Db, sessionId: string): Answer {
  const row = findSession(db, sessionId);
  return {
    data: {
      session_id: sessionId,
      session_db_id: row?.id ?? null,
      prompt_number: row?.prompt_count ?? null,
      recorded: true,
      why: null,
    },
  };
}
