// projects: one row per code base. All folders and worktrees of a code base are one project.
import { AppError } from "../../core/error.ts";
import type { Project } from "../../core/event.ts";
import { oneLine } from "../../core/text.ts";
import type { Db } from "../db/driver.ts";
import { sql } from "../db/sql.ts";
import { isSession } from "./sessions.ts";

export interface ProjectRow {
  id: number;
  key: string;
  name: string;
  root: string;
}

const ROW = sql`SELECT p.id, p.key, p.name, p.root`;

export function upsertProject(db: Db, { key, name, root, remote }: Project, at: number): number {
  const known = db.value<number>(sql`SELECT id FROM projects WHERE key = ${key}`);
  if (known !== undefined) return known;
  return db.run(sql`INSERT INTO projects (key, name, root, remote, created_at)
    VALUES (${key}, ${name}, ${root}, ${remote}, ${at})`).lastId;
}

export function findProject(db: Db, key: string): ProjectRow | undefined {
  return db.get(sql`${ROW} FROM projects p WHERE key = ${key}`);
}

export function projectById(db: Db, id: number): ProjectRow | undefined {
  return db.get(sql`${ROW} FROM projects p WHERE id = ${id}`);
}

export function projectRoot(db: Db, id: number): string {
  return db.value(sql`SELECT root FROM projects WHERE id = ${id}`) ?? "";
}

/**
 * The project whose root is this folder or the nearest one above it. Ignores projects without a session: their folders
 * are only known because an agent changed into them. Windows roots are compared with "/" and ignoring case.
 */
export function projectAbove(db: Db, path: string): ProjectRow | undefined {
  return db.get(sql`${ROW} FROM projects p,
      (SELECT id, rtrim(replace(root, '\\', '/'), '/') || '/' AS start FROM projects WHERE length(root) > 1) r
    WHERE r.id = p.id AND EXISTS (SELECT 1 FROM sessions s WHERE s.project_id = p.id AND ${isSession()})
      AND (substr(${path} || '/', 1, length(r.start)) = r.start
      OR p.root GLOB '[A-Z]:*' AND lower(substr(${path} || '/', 1, length(r.start))) = lower(r.start))
    ORDER BY length(r.start) DESC LIMIT 1`);
}

/** The project with this key. Else all projects with this name, most recent first: names are not unique. */
export function projectsNamed(db: Db, name: string): ProjectRow[] {
  const named = db.all<ProjectRow>(sql`${ROW} FROM projects p LEFT JOIN sessions s ON s.project_id = p.id
    WHERE p.name = ${name} OR p.key = ${name} GROUP BY p.id ORDER BY p.key = ${name} DESC, max(s.last_at) DESC`);
  return named[0]?.key === name ? named.slice(0, 1) : named;
}

/** For commands that write. Throws if several projects have this name. */
export function onlyProjectNamed(db: Db, name: string): ProjectRow | undefined {
  const named = projectsNamed(db, name);
  if (named.length <= 1) return named[0];
  throw new AppError("usage", `${named.length} projects are called "${oneLine(name, 80)}".`, {
    hint: `Name one by its key: ${named.map(({ key }) => oneLine(key, 120)).join(", ")}`,
  });
}

/** All projects that have a session, most recent first. */
export function listProjects(db: Db): (ProjectRow & { sessions: number; last_at: number })[] {
  return db.all(sql`${ROW}, count(*) AS sessions, max(s.last_at) AS last_at
    FROM projects p JOIN sessions s ON s.project_id = p.id WHERE ${isSession()} GROUP BY p.id ORDER BY last_at DESC`);
}

export function projectOfSession(db: Db, sessionId: string): ProjectRow | undefined {
  return db.get(sql`${ROW} FROM projects p JOIN sessions s ON s.project_id = p.id WHERE s.session_id = ${sessionId}`);
}

export function projectIdOfSession(db: Db, sessionDbId: number): number | undefined {
  return db.value(sql`SELECT project_id FROM sessions WHERE id = ${sessionDbId}`);
}
