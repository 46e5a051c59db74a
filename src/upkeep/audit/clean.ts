// Removes secrets and private text: from rows, and from the files beside the database.
import { readFileSync, rmSync } from "node:fs";
import { basename } from "node:path";
import { allCopies, copyPath, rewriteCopy } from "../../capture/sync/archive-copies.ts";
import type { Paths } from "../../config/paths.ts";
import { cleaned, cleanedJson } from "../../core/privacy/cleaned-text.ts";
import { replaceFile } from "../../platform/replace-file.ts";
import type { Db } from "../../store/db/driver.ts";
import { transaction } from "../../store/db/transaction.ts";
import { indexToolUse } from "../../store/fts/search-index.ts";
import { eachText, replaceText, type StoredText } from "../../store/reads/text-rows.ts";
import { indexObservation } from "../../store/tables/observations.ts";
import { markSessionStale } from "../../store/tables/stale-turns.ts";
import { freeVectorsOf, scrubVectors } from "../../store/vectors/vectors.ts";
import { markUnclean } from "../erase/erase-rows.ts";
import { jsonParts } from "./audit.ts";
import { sql } from "../../store/db/sql.ts";

/** Returns how many rows were rewritten. Their old bytes stay in the file until `scrub`. */
export function cleanRows(db: Db): number {
  return transaction(db, () => {
    const changes: { stored: StoredText; text: string }[] = [];
    eachText(db, (stored, text) => {
      const clean = stored.isJson ? cleanedJson(text) : cleaned(text);
      if (clean !== undefined) changes.push({ stored, text: clean.text });
    });
    if (changes.length === 0) return 0;
    for (const { stored, text } of changes) replaceText(db, stored, text);
    const replaced = changes.map(({ stored }) => stored);
    reindex(db, replaced);
    markUnclean(db);
    return new Set(replaced.map(({ table, key }) => `${table} ${JSON.stringify(key)}`)).size;
  });
}

/** Updates the indexes at once; memory and vectors of the sessions are derived again later. */
function reindex(db: Db, replaced: readonly StoredText[]): void {
  const idsIn = (table: string): Set<number> =>
    new Set(replaced.filter((one) => one.table === table).map((one) => Number(one.key[0])));
  for (const id of idsIn("tool_uses")) indexToolUse(db, id);
  for (const id of idsIn("observations")) indexObservation(db, id);
  if (idsIn("prompts").size > 0) db.run(sql`INSERT INTO prompts_trigram (prompts_trigram) VALUES ('rebuild')`);
  // Also the parent sessions: a subagent's work belongs to its parent's turns.
  const sessions = replaced.flatMap(({ sessionDbId }) =>
    db.column<number>(sql`SELECT id FROM sessions WHERE id = ${sessionDbId}
      UNION SELECT parent_session_db_id FROM sessions WHERE id = ${sessionDbId} AND parent_session_db_id IS NOT NULL`),
  );
  for (const id of new Set(sessions)) {
    markSessionStale(db, id);
    freeVectorsOf(db, id);
  }
  scrubVectors(db);
}

export type FileFix = "rewritten" | "removed" | "left";

export async function cleanFile(paths: Paths, path: string): Promise<FileFix> {
  // Only the user can decide how to fix the settings.
  if (path === paths.config) return "left";
  // Uninstall would restore a copy of the agent's settings, but settings without their secrets do not work.
  if (path.startsWith(paths.cache) || /^claude-settings-.*\.json$/.test(basename(path))) return remove(path);
  if (path.startsWith(paths.archive) && path.endsWith(".gz")) {
    const copy = allCopies(paths.archive).find(({ file }) => copyPath(paths.archive, file) === path);
    // An archive without a description cannot be restored.
    if (copy === undefined) return remove(path);
    await rewriteCopy(paths.archive, copy, cleanText);
    return "rewritten";
  }
  const bytes = readFileSync(path);
  if (bytes.includes(0)) return remove(path);
  replaceFile(path, cleanText(bytes.toString("utf8")));
  return "rewritten";
}

function remove(path: string): FileFix {
  rmSync(path, { force: true });
  return "removed";
}

function cleanText(text: string): string {
  return jsonParts(text)
    .map((part) => cleanedJson(part)?.text ?? part)
    .join("\n");
}
