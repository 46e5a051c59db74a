// projects: one row per code base, whatever folder or worktree it was met in.
import { AppError } from "../../core/error.ts";
import type { Project } from "../../core/event.ts";
import { oneLine } from "../../core/text.ts";
import type { Db } from "../db/driver.ts";
import { isSession } from "../reads/what-counts.ts";

export function upsertProject(db: Db, project: Project, at: number): number {
  const row = db.get<{ id: number }>("SELECT id FROM projects WHERE key = ?", project.key);
  if (row !== undefined) return row.id;
  return db.run(
    "INSERT INTO projects (key, name, root, remote, created_at) VALUES (?, ?, ?, ?, ?)",
    project.key,
    project.name,
    project.root,
    project.remote ?? null,
    at,
  ).lastId;
}

export interface ProjectRow {
  id: number;
  key: string;
  name: string;
  root: string;
}

export function findProject(db: Db, key: string): ProjectRow | undefined {
  return db.get("SELECT id, key, name, root FROM projects WHERE key = ?", key);
}

export function projectRoot(db: Db, id: number): string {
  return db.get<{ root: string }>("SELECT root FROM projects WHERE id = ?", id)?.root ?? "";
}

/**
 * The project whose root is this folder or the nearest above it. Folders that an agent only changed into are no projects:
 * they have no session. Roots of Windows are compared with "/", in any case.
 */
export function projectAbove(db: Db, path: string): ProjectRow | undefined {
  return db.get(
    `SELECT p.id, p.key, p.name, p.root FROM projects p,
       (SELECT id, rtrim(replace(root, '\\', '/'), '/') || '/' AS start FROM projects WHERE length(root) > 1) r
     WHERE r.id = p.id AND EXISTS (SELECT 1 FROM sessions s WHERE s.project_id = p.id AND ${isSession()})
       AND (substr(?1 || '/', 1, length(r.start)) = r.start
       OR p.root GLOB '[A-Z]:*' AND lower(substr(?1 || '/', 1, length(r.start))) = lower(r.start))
     ORDER BY length(r.start) DESC LIMIT 1`,
    path,
  );
}

/** By name, as a person would say it; the one used last wins when two share it. */
export function findProjectByName(db: Db, name: string): ProjectRow | undefined {
  return projectsNamed(db, name)[0];
}

/** The one with this key, else all that are called so, the most recent first: two folders may have one name. */
export function projectsNamed(db: Db, name: string): ProjectRow[] {
  const named = db.all<ProjectRow>(
    `SELECT p.id, p.key, p.name, p.root FROM projects p LEFT JOIN sessions s ON s.project_id = p.id
     WHERE p.name = ?1 OR p.key = ?1 GROUP BY p.id ORDER BY p.key = ?1 DESC, max(s.last_at) DESC`,
    name,
  );
  return named[0]?.key === name ? named.slice(0, 1) : named;
}

/** To write down for: where several are called so, none is picked. */
export function onlyProjectNamed(db: Db, name: string): ProjectRow | undefined {
  const [named, ...others] = projectsNamed(db, name);
  if (named === undefined || others.length === 0) return named;
  const keys = [named, ...others].map(({ key }) => oneLine(key, 120)).join(", ");
  throw new AppError("usage", `${others.length + 1} projects are called "${oneLine(name, 80)}".`, {
    hint: `Name one by its key: ${keys}`,
  });
}

/** Every project somebody has prompted in, the most recent first. */
export function listProjects(db: Db): (ProjectRow & { sessions: number; last_at: number })[] {
  return db.all(
    `SELECT p.id, p.key, p.name, p.root, count(*) AS sessions, max(s.last_at) AS last_at
     FROM projects p JOIN sessions s ON s.project_id = p.id
     WHERE ${isSession()}
     GROUP BY p.id ORDER BY last_at DESC`,
  );
}

export function projectOfSession(db: Db, sessionId: string): ProjectRow | undefined {
  return db.get(
    "SELECT p.id, p.key, p.name, p.root FROM projects p JOIN sessions s ON s.project_id = p.id WHERE s.session_id = ?",
    sessionId,
  );
}

export function projectIdOfSession(db: Db, sessionDbId: number): number | undefined {
  return db.get<{ id: number }>("SELECT project_id AS id FROM sessions WHERE id = ?", sessionDbId)?.id;
}
