// c-mem forget: removes something for good, and shows that it is gone.
import { existsSync } from "node:fs";
import { clearFiles } from "../../capture/clear.ts";
import { type Paths, resolvePaths } from "../../config/paths.ts";
import { AppError } from "../../core/error.ts";
import { forget, type Forgotten, type Words } from "../../memory/forget.ts";
import { clearCopies } from "../../memory/forget-again.ts";
import { piecesOf, type Proof, proveGone } from "../../memory/traces.ts";
import { completeDoom, readDoomed } from "../../store/doomed.ts";
import type { Db } from "../../store/driver.ts";
import { isUnclean, overwriteDeleted, scrub } from "../../store/erase.ts";
import { explain } from "../../store/open.ts";
import { updateSearchIndex } from "../../store/search-index.ts";
import { sourcesOf } from "../../store/sync-state.ts";
import { ask } from "../apply-plan.ts";
import { chooseDoomed } from "../forget-choice.ts";
import { planText, type Receipt, receiptJson, receiptText } from "../forget-text.ts";
import type { CommandOptions } from "../table.ts";
import { EXIT, print, printJson, say } from "../output.ts";
import { withStoreAsync } from "../store.ts";

export function run({ args, flags, json }: CommandOptions): Promise<number> {
  const paths = resolvePaths(process.env);
  return withStoreAsync(paths, async (db) => {
    overwriteDeleted(db);
    if (args.length === 0) return finish(db, paths, json);
    const { doomed, words } = chooseDoomed(db, args, flags, paths);
    const all = structuredClone(doomed);
    completeDoom(db, all);
    const rows = readDoomed(db, all);
    if (flags["dryRun"] === true) {
      if (json) printJson("forget", { applied: false, would_remove: namesOf(rows) });
      else print(planText(rows, "This would go:"));
      return EXIT.ok;
    }
    if (flags["yes"] !== true) {
      say(planText(rows, "This will go, for good:"));
      const answer = await ask({ question: "Forget it?", isDestructive: true });
      if (answer !== true) {
        say("Nothing was changed.");
        return answer === false ? EXIT.failure : EXIT.interrupted;
      }
    }
    const sources = sourcesOf(
      db,
      [...rows.sessions, ...rows.prompts, ...rows.messages, ...rows.toolUses].map((row) => row.session_id ?? ""),
    );
    const forgotten = forget(db, doomed, Date.now(), words);
    const receipt = prove(db, paths, forgotten, words, sources);
    if (json) printJson("forget", { applied: true, ...receiptJson(receipt, namesOf(rows)) });
    else print(receiptText(receipt, rows));
    return receipt.isProven ? EXIT.ok : EXIT.failure;
  });
}

function namesOf(rows: ReturnType<typeof readDoomed>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(rows).map(([kind, list]) => [kind === "toolUses" ? "tool_uses" : kind, list.map((row) => row.item)]),
  );
}

function prove(db: Db, paths: Paths, forgotten: Forgotten, words: Words | undefined, sources: string[]): Receipt {
  const said = piecesOf(forgotten.texts);
  const pieces = words === undefined ? said : [...new Set([words.text, ...said])];
  const cleared = clearFiles(db, paths, { pieces, sessions: forgotten.sessions });
  const backups = clearCopies(db, paths, { pieces, sessions: [...forgotten.sessions, ...forgotten.touched], words });
  updateSearchIndex(db);
  const isClean = tryScrub(db, paths);
  const proof: Proof = proveGone(db, paths.home, pieces, paths.database, [...backups.cleaned, ...backups.without]);
  const isProven = isClean && proof.found.length === 0 && proof.searchHits === 0;
  return {
    ...forgotten,
    ...cleared,
    backups,
    proof,
    isClean,
    isProven,
    sources: sources.filter((path) => existsSync(path)),
  };
}

/** The rows are gone by now: whatever stands in the way is said, and the receipt given all the same. */
function tryScrub(db: Db, paths: Paths): boolean {
  try {
    return scrub(db);
  } catch (error) {
    const reason = explain(error, paths.database);
    say(reason instanceof AppError ? `${reason.message} ${reason.hint ?? ""}` : String(reason));
    return false;
  }
}

/** After a run that was killed, or that met a reader it had to wait for too long. */
function finish(db: Db, paths: Paths, json: boolean): number {
  if (!isUnclean(db)) throw new AppError("usage", "What shall be forgotten?", { hint: "c-mem forget <id or words>" });
  clearCopies(db, paths, { pieces: [], sessions: [] });
  if (!scrub(db)) {
    throw new AppError("store_busy", "Another program is reading the database.", { hint: "Try again in a moment." });
  }
  if (json) printJson("forget", { applied: true, finished: true });
  else print("What was forgotten before is now gone from the files as well.");
  return EXIT.ok;
}
