// Measures whether the right memory is injected at the right moment, by replaying real sessions.
import { writeFileSync } from "node:fs";
import { SETTINGS } from "../src/config/schema.ts";
import { deriveSession } from "../src/memory/derive.ts";
import { buildContext } from "../src/recall/inject/session-context.ts";
import {
  contextForCommand,
  contextForFailure,
  contextForFile,
  contextForPrompt,
  type EventRequest,
} from "../src/recall/inject/event-context.ts";
import type { Db } from "../src/store/db/driver.ts";
import type { WorkTree } from "../src/core/work-tree.ts";
import { findProject, type ProjectRow } from "../src/store/tables/projects.ts";
import { staleSessions } from "../src/store/tables/stale-turns.ts";
import { rebuildSearchIndex } from "../src/store/fts/search-index.ts";
import { percent } from "./measure.ts";
import { openRepository } from "./repository-trees.ts";
import { type Query, readQueries, type RealStore, withRealSessions } from "./real-sessions.ts";

/** How much of a prompt, command or error is written beside what was injected. */
const ABOUT_CHARS = 600;
/** A file is rare if at most this share of a repository's sessions touched it. It relates these sessions. */
const RARE_SHARE = 0.15;
const RARE_MIN = 5;
/** A file that a larger share of sessions touched (a changelog) does not show what a session is about. */
const COMMON_SHARE = 0.4;
/** These surfaces match an exact file, command or error: shared files do not show whether they are right. */
const KEYED: ReadonlySet<string> = new Set(["file", "command", "error"]);

interface Replayed {
  id: number;
  session_id: string;
  started_at: number;
  last_at: number;
  project_id: number;
}

interface Surface {
  /** How often something could have been injected. */
  events: number;
  injections: number;
  /** Injections into sessions that touched files; others cannot be judged. */
  judged: number;
  /** Injections with an item from a session that touched the same rare file. */
  fromRelated: number;
  /** Injections from a related session, or about a file that the session touches. */
  relevant: number;
  tokens: number;
}

/** `out`: a file for everything that was injected, to be read and judged. */
export const benchInjection = ({ out }: { out: string | undefined }): Promise<void> =>
  withRealSessions("injection", (real) => measure(real, out));

function measure({ db, repos }: RealStore, out: string | undefined): void {
  mergeProjects(db, repos);
  for (const { id } of staleSessions(db)) deriveSession(db, id, Date.now());
  rebuildSearchIndex(db);
  replay(db, repos, out);
}

/** Merges projects of one repository: sync could not read their git remotes, because the folders do not exist here. */
function mergeProjects(db: Db, repos: Map<string, string>): void {
  const owner = new Map<string, number>();
  const sessions = db.all<{ id: number; session_id: string; project_id: number }>(
    "SELECT id, session_id, project_id FROM sessions WHERE parent_session_db_id IS NULL",
  );
  for (const session of sessions) {
    const repo = repos.get(session.session_id) ?? "";
    const project = owner.get(repo) ?? session.project_id;
    owner.set(repo, project);
    db.run("UPDATE sessions SET project_id = ?1 WHERE id = ?2 OR parent_session_db_id = ?2", project, session.id);
  }
  db.run("UPDATE observations SET project_id = s.project_id FROM sessions s WHERE s.id = observations.session_db_id");
  // Sync stored absolute paths, because the working trees do not exist here: make them relative.
  const tops = db.all<{ cwd: string }>("SELECT DISTINCT cwd FROM sessions ORDER BY length(cwd) DESC");
  for (const { cwd } of tops) {
    db.run("UPDATE OR IGNORE file_touches SET path = substr(path, length(?1) + 2) WHERE path LIKE ?1 || '/%'", cwd);
  }
}

function replay(db: Db, repos: Map<string, string>, out: string | undefined): void {
  const gold = new Map(
    readQueries()
      .filter(({ task }) => task === "next")
      .map((query) => [query.exclude?.[0] ?? "", query]),
  );
  const sessions = db.all<Replayed>(
    `SELECT id, session_id, started_at, last_at, project_id FROM sessions
     WHERE parent_session_db_id IS NULL AND prompt_count > 0 ORDER BY started_at DESC`,
  );
  const tally = new Tally(sessions, fileTies(db, sessions, repos));
  const trees = new Map([...new Set(repos.values())].map((repo) => [repo, openRepository(repo)]));
  for (const session of sessions) {
    const work = evidenceOf(db, session.id);
    // The newest session is replayed first, and each one is deleted before its replay, so that the store has only
    // earlier sessions.
    const ids = "SELECT id FROM sessions WHERE id = ?1 OR parent_session_db_id = ?1";
    for (const [index, table] of [
      ["turns_fts", "prompts"],
      ["tool_uses_fts", "tool_uses"],
    ])
      db.run(
        `DELETE FROM ${index} WHERE rowid IN (SELECT id FROM ${table} WHERE session_db_id IN (${ids}))`,
        session.id,
      );
    db.run("DELETE FROM sessions WHERE parent_session_db_id = ?", session.id);
    db.run("DELETE FROM sessions WHERE id = ?", session.id);
    const project = db.get<ProjectRow>("SELECT * FROM projects WHERE id = ?", session.project_id);
    if (project !== undefined) {
      const tree = trees.get(repos.get(session.session_id) ?? "")?.at(session.started_at);
      playSession(db, { ...session, project: findProject(db, project.key) ?? project, tree }, work, tally);
      tally.countGold(gold.get(session.session_id), session);
    }
  }
  for (const tree of trees.values()) tree?.remove();
  if (out !== undefined) tally.write(out);
  tally.report();
}

interface Work {
  prompts: { text: string; at: number }[];
  uses: { name: string; input: string; output: string | null; is_error: number; path: string | null; at: number }[];
}

function evidenceOf(db: Db, sessionDbId: number): Work {
  return {
    prompts: db.all(
      "SELECT text, created_at AS at FROM prompts WHERE session_db_id = ? ORDER BY prompt_number",
      sessionDbId,
    ),
    uses: db.all(
      `SELECT t.name, t.input, t.output, t.is_error, t.created_at AS at,
         (SELECT path FROM file_touches f WHERE f.tool_use_db_id = t.id LIMIT 1) AS path
       FROM tool_uses t WHERE t.session_db_id = ? ORDER BY t.created_at, t.id`,
      sessionDbId,
    ),
  };
}

interface PlayedSession extends Replayed {
  project: ProjectRow;
  /** Undefined if the repository's history is not known. */
  tree: WorkTree | undefined;
}

function playSession(db: Db, session: PlayedSession, work: Work, tally: Tally): void {
  const settings = Object.fromEntries(
    Object.entries(SETTINGS).map(([key, { default: value }]) => [key, value]),
  ) as never;
  const now = session.started_at;
  const shown = new Set<string>();
  const note = (surface: string, injected: { text: string; items: string[]; tokens: number }, about: string): void => {
    tally.countEvent(surface);
    for (const item of injected.items) shown.add(item);
    if (injected.text === "") return;
    const touches = tally.touches(session.id);
    const from = sessionsOfItems(db, injected.items);
    const isFromRelated = [...from].some((id) => tally.isRelated(session.id, id));
    const isRelevant = isFromRelated || isAboutFiles(db, injected.items, touches);
    tally.add(surface, session, from, { ...injected, isFromRelated, isRelevant, isJudged: touches.size > 0 }, about);
  };
  note(
    "session-start",
    buildContext(db, { project: session.project, source: "startup", settings, tree: session.tree, now }),
    "",
  );
  const at = (time: number): EventRequest => ({ ...requestAt(session, shown), now: Math.max(now, time) });
  for (const { text, at: time } of work.prompts) {
    tally.prompts += 1;
    note("prompt", contextForPrompt(db, text, at(time)), text);
  }
  const seen = new Set<string>();
  for (const use of work.uses) {
    const request = at(use.at);
    if (use.path !== null && /^(?:Read|Edit|Write|MultiEdit)$/.test(use.name) && !seen.has(use.path)) {
      seen.add(use.path);
      note("file", contextForFile(db, use.path, use.name !== "Read", request), use.path);
    }
    const command = /"command":"((?:[^"\\]|\\.)*)"/.exec(use.input)?.[1];
    if (command !== undefined) note("command", contextForCommand(db, command, request), command);
    if (use.is_error === 1 && use.name === "Bash")
      note("error", contextForFailure(db, command, use.output ?? "", request), use.output ?? "");
  }
}

function requestAt(
  { project_id: projectId, started_at: now, tree }: Replayed & { tree?: WorkTree | undefined },
  shown: Set<string>,
): EventRequest {
  return { projectId, ownSessionId: undefined, tree, shown, throttle: 0, now };
}

/** True if an item is about a file that the session touches. */
function isAboutFiles(db: Db, items: readonly string[], touched: ReadonlySet<string>): boolean {
  return items.some((item) => {
    const id = /^[oi](\d+)$/.exec(item)?.[1];
    const files = id && db.get<{ files: string }>("SELECT files FROM observations WHERE id = ?", Number(id))?.files;
    return (JSON.parse(files || "[]") as string[]).some((file) => touched.has(file));
  });
}

function sessionsOfItems(db: Db, items: readonly string[]): Set<number> {
  const ids = items.flatMap((item) => {
    const [, kind, id] = /^(session:|[oitp])(\d+)$/.exec(item) ?? [];
    if (kind === undefined) return [];
    if (kind === "session:") return [Number(id)];
    const sql =
      kind === "p"
        ? "SELECT session_db_id AS id FROM prompts WHERE id = ?"
        : kind === "t"
          ? "SELECT coalesce(s.parent_session_db_id, s.id) AS id FROM tool_uses t JOIN sessions s ON s.id = t.session_db_id WHERE t.id = ?"
          : "SELECT session_db_id AS id FROM observations WHERE id = ?";
    return [db.get<{ id: number }>(sql, Number(id))?.id ?? 0];
  });
  return new Set(ids);
}

interface FileTies {
  /** The files of each session, without common files. */
  touched: Map<number, Set<string>>;
  /** Sessions of one repository that touched the same rare file. */
  related: Map<number, Set<number>>;
}

function fileTies(db: Db, sessions: readonly Replayed[], repos: Map<string, string>): FileTies {
  const rows = db.all<{ path: string; session: number }>(
    "SELECT DISTINCT f.path, coalesce(s.parent_session_db_id, s.id) AS session FROM file_touches f JOIN sessions s ON s.id = f.session_db_id",
  );
  const repoOf = new Map(sessions.map((session) => [session.id, repos.get(session.session_id) ?? ""]));
  const sizes = Map.groupBy(repoOf.values(), (repo) => repo);
  const touched = new Map<number, Set<string>>();
  const related = new Map<number, Set<number>>();
  for (const [key, touches] of Map.groupBy(rows, ({ path, session }) => `${repoOf.get(session)}\n${path}`)) {
    const size = sizes.get(key.split("\n")[0] ?? "")?.length ?? 0;
    const isRare = touches.length <= Math.max(RARE_MIN, size * RARE_SHARE);
    const isCommon = touches.length > Math.max(RARE_MIN, size * COMMON_SHARE);
    for (const { session, path } of touches) {
      if (!isCommon) touched.set(session, (touched.get(session) ?? new Set()).add(path));
      if (!isRare) continue;
      const others = related.get(session) ?? new Set();
      for (const other of touches) if (other.session !== session) others.add(other.session);
      related.set(session, others);
    }
  }
  return { touched, related };
}

class Tally {
  prompts = 0;
  private readonly surfaces = new Map<string, Surface>();
  private readonly sources = new Map<number, Map<string, Set<number>>>();
  private readonly samples: { at: number; text: string }[] = [];
  private readonly hits = { start: 0, prompt: 0, either: 0, any: 0, of: 0 };
  private readonly sessions: readonly Replayed[];
  private readonly ties: FileTies;

  constructor(sessions: readonly Replayed[], ties: FileTies) {
    this.sessions = sessions;
    this.ties = ties;
  }

  countEvent(surface: string): void {
    this.surfaceOf(surface).events += 1;
  }

  isRelated(a: number, b: number): boolean {
    return this.ties.related.get(a)?.has(b) ?? false;
  }

  touches(session: number): ReadonlySet<string> {
    return this.ties.touched.get(session) ?? new Set();
  }

  add(
    surface: string,
    session: Replayed,
    from: Set<number>,
    injected: { text: string; tokens: number; isFromRelated: boolean; isRelevant: boolean; isJudged: boolean },
    about: string,
  ): void {
    const known = this.surfaceOf(surface);
    const { isFromRelated, isRelevant, isJudged } = injected;
    known.injections += 1;
    known.judged += Number(isJudged);
    known.fromRelated += Number(isFromRelated);
    known.relevant += Number(isRelevant);
    known.tokens += injected.tokens;
    const bySurface = this.sources.get(session.id) ?? new Map<string, Set<number>>();
    bySurface.set(surface, new Set([...(bySurface.get(surface) ?? []), ...from]));
    this.sources.set(session.id, bySurface);
    const heading = `== ${surface}, session ${session.session_id} (${new Date(session.started_at).toISOString()})`;
    const event = about.slice(0, ABOUT_CHARS).replaceAll("\n", " ");
    this.samples.push({ at: session.started_at, text: [heading, event, injected.text].filter(Boolean).join("\n") });
  }

  countGold(next: Query | undefined, session: Replayed): void {
    if (next === undefined) return;
    const ids = new Map(this.sessions.map(({ id, session_id }) => [session_id, id]));
    const wanted = next.gold.map((id) => ids.get(id));
    const bySurface = this.sources.get(session.id);
    const has = (...surfaces: string[]): boolean =>
      surfaces.some((surface) => wanted.some((id) => id !== undefined && bySurface?.get(surface)?.has(id)));
    this.hits.of += 1;
    this.hits.start += Number(has("session-start"));
    this.hits.prompt += Number(has("prompt"));
    this.hits.either += Number(has("session-start", "prompt"));
    this.hits.any += Number(has("session-start", "prompt", "file", "error", "command"));
  }

  private surfaceOf(name: string): Surface {
    const known = this.surfaces.get(name) ?? {
      events: 0,
      injections: 0,
      judged: 0,
      fromRelated: 0,
      relevant: 0,
      tokens: 0,
    };
    this.surfaces.set(name, known);
    return known;
  }

  /** Writes everything that was injected, oldest session first. */
  write(path: string): void {
    const inOrder = this.samples.toSorted((a, b) => a.at - b.at).map(({ text }) => text);
    writeFileSync(path, `${inOrder.join("\n\n")}\n`);
  }

  report(): void {
    const { hits } = this;
    const total = this.sessions.length;
    console.log(`Injection in ${total} real sessions, ${this.prompts} prompts, replayed in time order`);
    console.log(
      `  items of an earlier session on the same rare files were injected (of ${hits.of} sessions that have one):`,
    );
    console.log(
      `    at the start ${percent(hits.start, hits.of)}, on a prompt ${percent(hits.prompt, hits.of)}, either ${percent(hits.either, hits.of)} (target: at least 70%), any surface ${percent(hits.any, hits.of)}`,
    );
    console.log("  surface             events  injections      judged   unrelated  irrelevant  tokens per session");
    for (const [name, { events, injections, judged, fromRelated, relevant, tokens }] of this.surfaces) {
      const cells = [
        events,
        injections,
        judged,
        KEYED.has(name) ? "-" : percent(judged - fromRelated, judged),
        KEYED.has(name) ? "-" : percent(judged - relevant, judged),
        (tokens / total).toFixed(0),
      ];
      console.log(`  ${name.padEnd(16)}${cells.map((cell) => String(cell).padStart(10)).join("  ")}`);
    }
    console.log(
      "  unrelated: from no session that touched the same rare file; irrelevant: also not about a file that the session touches",
    );
    console.log("  target: under 25% irrelevant for prompt");
  }
}
