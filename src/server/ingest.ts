// What other editors report, on its way to the spool: the same event, filter and drop as a hook's.
import { isAbsolute } from "node:path";
import { claudeCodeWire } from "../agents/claude-code/event.ts";
import { bringIn } from "../queries/cached-store.ts";
import type { Answer } from "../queries/envelope.ts";
import { storedId } from "../capture/live/ids.ts";
import { admitEvent, type Withheld } from "../capture/live/admit-event.ts";
import { writeDrop } from "../capture/live/spool.ts";
import { findCaptureContext, type CaptureContext } from "../capture/capture-context.ts";
import { AppError } from "../core/error.ts";
import { filterText } from "../core/privacy/filter.ts";
import type { Asked } from "../queries/legacy.ts";
import type { Db } from "../store/db/driver.ts";
import { projectOfSession, projectsNamed } from "../store/tables/projects.ts";
import { type SessionEntry, sessionsByIds } from "../store/reads/session-list.ts";
import { findSession } from "../store/tables/sessions.ts";

export interface Reported {
  sessionId: string | number | undefined;
  project?: string | undefined;
  cwd?: string | undefined;
  agent?: string | undefined;
}

/** The agent's name where it gives none. */
const OTHER_AGENT = "other";

/** `command` and `payload` are those of the hook that would have told the same. */
export function takeIn(asked: Asked, who: Reported, command: string, payload: Record<string, unknown>): Answer {
  const { db, paths } = asked;
  const known = sessionOf(db, who.sessionId);
  const sessionId = known?.session_id ?? storedId(String(who.sessionId ?? ""));
  const { cwd, surroundings } = findWhere(asked, who, known);
  const event = claudeCodeWire.event({
    command,
    payload: { ...payload, session_id: sessionId, cwd },
    cwd: () => cwd,
    readEnd: () => undefined,
    at: Date.now(),
    env: {},
  });
  if (event === undefined) throw new AppError("usage", "There is nothing in it to record.", { hint: "See /api/docs." });
  const agent = known?.agent ?? who.agent ?? OTHER_AGENT;
  const captured = admitEvent({ ...event, agent }, surroundings, paths);
  if (typeof captured === "string") return withheld(sessionId, captured);
  writeDrop(paths.spool, captured);
  // Whoever begins wants to know what the session is called here; the rest can wait for the worker.
  if (command === "new") bringIn(db, paths);
  return recorded(db, sessionId);
}

/** By the agent's own id or, as a number, by ours. */
function sessionOf(db: Db, id: string | number | undefined): SessionEntry | undefined {
  if (id === undefined || id === "") throw new AppError("usage", "Which session? sessionId is missing.");
  const own = findSession(db, storedId(String(id)))?.id ?? (/^\d{1,15}$/.test(String(id)) ? Number(id) : undefined);
  return own === undefined ? undefined : sessionsByIds(db, [own])[0];
}

/** Where it happened: as told, else where the session is, else where the project was seen. */
function findWhere(
  { db, paths, env }: Asked,
  { cwd, project }: Reported,
  known: SessionEntry | undefined,
): { cwd: string; surroundings: CaptureContext } {
  if (cwd !== undefined && !isAbsolute(cwd)) throw new AppError("usage", "cwd has to be an absolute path.");
  const filed = known === undefined ? undefined : projectOfSession(db, known.session_id);
  const named = project === undefined || cwd !== undefined ? undefined : projectsNamed(db, project)[0];
  const folder = cwd ?? known?.cwd ?? named?.root;
  if (folder === undefined && project === undefined)
    throw new AppError("usage", "Where did that happen?", { hint: "Send cwd, the folder the session works in." });
  const surroundings = findCaptureContext(folder || "/", paths.config, env);
  if (cwd !== undefined) return { cwd, surroundings };
  const of = filed ?? named;
  const name = filterText(project ?? "");
  return {
    cwd: folder || "/",
    // A project nobody has seen a folder of goes by its name alone.
    surroundings: { ...surroundings, project: of ?? { key: `name:${name}`, name, root: "" } },
  };
}

function withheld(sessionId: string, why: Withheld): Answer {
  return { data: { session_id: sessionId, session_db_id: null, prompt_number: null, recorded: false, why } };
}

/** The drop is safe on disk by now; what of it is in the database already is told. */
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
