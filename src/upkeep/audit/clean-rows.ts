// Rewrites stored texts without their secrets, and has all that was made of them made anew.
import { addKinds, cleaned, cleanedJson } from "../../core/privacy/cleaned-text.ts";
import type { Db } from "../../store/db/driver.ts";
import { indexObservation } from "../../store/tables/observations.ts";
import { indexToolUse } from "../../store/fts/search-index.ts";
import { markSessionStale } from "../../store/tables/stale-turns.ts";
import { eachText, replaceText, type TextPlace } from "../../store/reads/text-rows.ts";
import { transaction } from "../../store/db/transaction.ts";
import { freeVectorsOf, scrubVectors } from "../../store/vectors/vectors.ts";

export interface CleanedRows {
  rows: number;
  kinds: Record<string, number>;
}

/** The bytes of what was there stay until `scrub`. */
export function cleanRows(db: Db): CleanedRows {
  return transaction(db, () => {
    const places: { place: TextPlace; text: string }[] = [];
    const result: CleanedRows = { rows: 0, kinds: {} };
    eachText(db, (place, text) => {
      const clean = place.isJson ? cleanedJson(text) : cleaned(text);
      if (clean === undefined) return;
      places.push({ place, text: clean.text });
      addKinds(result.kinds, clean.kinds);
    });
    if (places.length === 0) return result;
    for (const { place, text } of places) replaceText(db, place, text);
    renew(
      db,
      places.map(({ place }) => place),
    );
    db.run("INSERT OR REPLACE INTO index_state (name, last_id) VALUES ('unclean', 1)");
    result.rows = new Set(places.map(({ place }) => `${place.table} ${JSON.stringify(place.key)}`)).size;
    return result;
  });
}

function renew(db: Db, places: readonly TextPlace[]): void {
  const idsIn = (table: string): number[] => [
    ...new Set(places.filter((place) => place.table === table).map((place) => Number(place.key[0]))),
  ];
  for (const id of idsIn("tool_uses")) indexToolUse(db, id);
  for (const id of idsIn("observations")) indexObservation(db, id);
  if (idsIn("prompts").length > 0) db.run("INSERT INTO prompts_trigram (prompts_trigram) VALUES ('rebuild')");
  const sessions = new Set(places.flatMap(({ sessionDbId }) => withParent(db, sessionDbId)));
  for (const id of sessions) {
    markSessionStale(db, id);
    freeVectorsOf(db, id);
  }
  scrubVectors(db);
}

/** A subagent's work stands in its parent's turns. */
function withParent(db: Db, id: number | null): number[] {
  if (id === null) return [];
  const row = db.get<{ parent: number | null }>("SELECT parent_session_db_id AS parent FROM sessions WHERE id = ?", id);
  return row?.parent === null || row === undefined ? [id] : [id, row.parent];
}
