// links: which session continues which, what is mentioned, referenced, fixed or replaced by what.
import type { Db } from "../db/driver.ts";

export interface Target {
  type: "session" | "file" | "commit" | "issue" | "url" | "branch" | "plan" | "term" | "tool-use" | "observation";
  id: string;
}

export interface Link {
  source: { type: "session" | "observation"; id: string };
  target: Target;
  relationship: "mentions" | "related_to" | "continues" | "references" | "fixes" | "supersedes";
  /** How sure it is, or how much it says: 0 to 1. */
  weight?: number;
}

export function insertLink(db: Db, link: Link, at: number): void {
  db.run(
    `INSERT OR IGNORE INTO links (source_type, source_id, target_type, target_id, relationship, weight, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    link.source.type,
    link.source.id,
    link.target.type,
    link.target.id,
    link.relationship,
    link.weight ?? 1,
    at,
  );
}

export function deleteLink(db: Db, { source, target, relationship }: Link): void {
  db.run(
    `DELETE FROM links WHERE source_type = ? AND source_id = ? AND target_type = ? AND target_id = ? AND relationship = ?`,
    source.type,
    source.id,
    target.type,
    target.id,
    relationship,
  );
}

export function deleteFixes(db: Db, observation: string): void {
  db.run(
    "DELETE FROM links WHERE source_type = 'observation' AND source_id = ? AND relationship = 'fixes'",
    observation,
  );
}

export function deleteSessionLinks(db: Db, sessionId: string): void {
  db.run("DELETE FROM links WHERE source_type = 'session' AND source_id = ?", sessionId);
}
