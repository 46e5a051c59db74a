// Writes events that editors report over HTTP to the spool, converted and filtered like the events of hooks.
import { isAbsolute } from "node:path";
import { claudeCodeWire } from "../agents/claude-code/event.ts";
import { drainBriefly } from "../queries/cached-store.ts";
import type { Answer } from "../queries/envelope.ts";
import { storedId } from "../capture/live/ids.ts";
import { admitEvent } from "../capture/live/admit-event.ts";
import { writeDrop } from "../capture/live/spool.ts";
import { findCaptureContext, type CaptureContext } from "../capture/capture-context.ts";
import { usageError } from "../core/error.ts";
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

/** The agent's name if the request has none. */
const OTHER_AGENT = "other";

/** `command`, `payload`: those of the hook that reports the same event. */
export function recordEvent(
  context: QueryContext,
  source: EventSource,
  command: string,
  payload: Record<string, unknown>,
): Answer {
  const { db, paths } = context;
  const known = sessionOf(db, source.sessionId);
  const sessionId = known?.session_id ?? storedId(String(source.sessionId ?? ""));
  const { cwd, captureContext } = findFolder(context, source, known);
  const event = claudeCodeWire.event({
    command,
    payload: { ...payload, session_id: sessionId, cwd },
    cwd: () => cwd,
    readEnd: () => undefined,
    at: Date.now(),
    env: {},
  });
  if (event === undefined) throw usageError("The event is empty.", "See /api/docs.");
  const agent = known?.agent ?? source.agent ?? OTHER_AGENT;
  const captured = admitEvent({ ...event, agent }, captureContext, paths);
  if (typeof captured === "string")
    return {
      data: { session_id: sessionId, session_db_id: null, prompt_number: null, recorded: false, why: captured },
    };
  writeDrop(paths.spool, captured);
  // Only the reply to a prompt must have the session's database id, so other events wait for the worker.
  if (command === "new") drainBriefly(db, paths);
  const { id: session_db_id = null, prompt_count: prompt_number = null } = findSession(db, sessionId) ?? {};
  return { data: { session_id: sessionId, session_db_id, prompt_number, recorded: true, why: null } };
}

/** Finds the session by the agent's session id or by session_db_id. */
function sessionOf(db: Db, id: string | number | undefined): SessionEntry | undefined {
  if (id === undefined || id === "") throw usageError("sessionId is missing.");
  const own = findSession(db, storedId(String(id)))?.id ?? (/^\d{1,15}$/.test(String(id)) ? Number(id) : undefined);
  return own === undefined ? undefined : sessionsByIds(db, [own])[0];
}

/** The folder of the request, else of the session, else of the project. */
function findFolder(
  { db, paths, env }: QueryContext,
  { cwd, project }: EventSource,
  known: SessionEntry | undefined,
): { cwd: string; captureContext: CaptureContext } {
  if (cwd !== undefined && !isAbsolute(cwd)) throw usageError("cwd must be an absolute path.");
  const named = project === undefined || cwd !== undefined ? undefined : projectsNamed(db, project)[0];
  const folder = cwd ?? known?.cwd ?? named?.root;
  if (folder === undefined && project === undefined)
    throw usageError("cwd is missing.", "Send cwd, the folder the session works in.");
  const captureContext = findCaptureContext(folder || "/", paths.config, env);
  if (cwd !== undefined) return { cwd, captureContext };
  const found = (known && projectOfSession(db, known.session_id)) ?? named;
  const name = filterText(project ?? "");
  return {
    cwd: folder || "/",
    // A project that is not stored yet is identified by its name.
    captureContext: { ...captureContext, project: found ?? { key: `name:${name}`, name, root: "" } },
  };
}
