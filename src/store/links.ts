// links: which session continues which, what is mentioned, referenced, fixed or replaced by what.
import type { Db } from "./driver.ts";

export interface Link {
  source: { type: "session" | "prompt"; id: string };
  target: { type: "session" | "file" | "commit"; id: string };
  relationship: "mentions" | "related_to" | "continues" | "references" | "fixes" | "supersedes";
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
