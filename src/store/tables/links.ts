// links: relationships between sessions, observations, files and others, e.g. "session s2 continues session s1".
import type { Db } from "../db/driver.ts";
import { and, anyOf, sql } from "../db/sql.ts";

export interface Target {
  type: "session" | "file" | "commit" | "issue" | "url" | "branch" | "plan" | "term" | "tool-use" | "observation";
  id: string;
}

export interface Link {
  source: { type: "session" | "observation"; id: string };
  target: Target;
  relationship: "mentions" | "related_to" | "continues" | "references" | "fixes" | "supersedes";
  /** How certain or how relevant the link is: 0 to 1. */
  weight?: number;
}

export function insertLink(db: Db, { source, target, relationship, weight = 1 }: Link, at: number): void {
  db.run(sql`INSERT OR IGNORE INTO links
      (source_type, source_id, target_type, target_id, relationship, weight, created_at)
    VALUES (${source.type}, ${source.id}, ${target.type}, ${target.id}, ${relationship}, ${weight}, ${at})`);
}

export function deleteLink(db: Db, { source, target, relationship }: Link): void {
  db.run(sql`DELETE FROM links WHERE source_type = ${source.type} AND source_id = ${source.id}
    AND target_type = ${target.type} AND target_id = ${target.id} AND relationship = ${relationship}`);
}

/** Deletes all links from a source, or only those with this relationship. */
export function deleteLinksFrom(db: Db, { type, id }: Link["source"], relationship?: Link["relationship"]): void {
  db.run(sql`DELETE FROM links WHERE source_type = ${type} AND source_id = ${id}
    AND ${and(relationship !== undefined && sql`relationship = ${relationship}`)}`);
}

/** The branches the sessions worked on, oldest first. */
export function branchesOf(db: Db, sessionIds: readonly string[]): string[] {
  return db.column(sql`SELECT DISTINCT target_id FROM links
    WHERE source_type = 'session' AND source_id IN ${anyOf(sessionIds)} AND target_type = 'branch'
    ORDER BY created_at, target_id`);
}
