// Forgets what was chosen: shows it, asks, takes it out, proves that it is gone.
import { existsSync } from "node:fs";
import { clearFiles } from "../capture/clear.ts";
import type { Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { forget, type Forgotten } from "../memory/forget.ts";
import { piecesOf, type Proof, proveGone } from "../memory/traces.ts";
import { completeDoom, readDoomed } from "../store/doomed.ts";
import type { Db } from "../store/driver.ts";
import { scrub } from "../store/erase.ts";
import { explain } from "../store/open.ts";
import { updateSearchIndex } from "../store/search-index.ts";
import { sourcesOf } from "../store/sync-state.ts";
import { ask } from "./apply-plan.ts";
import type { Choice } from "./forget-choice.ts";
import { planText, type Receipt, receiptJson, receiptText } from "./forget-text.ts";
import { EXIT, print, printJson, say } from "./output.ts";

interface HowToForget {
  flags: Record<string, unknown>;
  json: boolean;
  command: string;
  /** A file that names what is forgotten on purpose. */
  namedIn?: string;
}

export async function forgetChoice(
  db: Db,
  paths: Paths,
  { doomed, words }: Choice,
  { flags, json, command, namedIn }: HowToForget,
): Promise<number> {
  const all = structuredClone(doomed);
  completeDoom(db, all);
  const rows = readDoomed(db, all);
  if (flags["dryRun"] === true) {
    if (json) printJson(command, { applied: false, would_remove: namesOf(rows) });
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
  const receipt = prove(db, paths, forgotten, { text: words?.text, sources, namedIn });
  if (json) printJson(command, { applied: true, ...receiptJson(receipt, namesOf(rows)) });
  else print(receiptText(receipt, rows));
  return receipt.isProven ? EXIT.ok : EXIT.failure;
}

function namesOf(rows: ReturnType<typeof readDoomed>): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(rows).map(([kind, list]) => [kind === "toolUses" ? "tool_uses" : kind, list.map((row) => row.item)]),
  );
}

interface ToProve {
  text: string | undefined;
  sources: string[];
  namedIn: string | undefined;
}

function prove(db: Db, paths: Paths, forgotten: Forgotten, { text, sources, namedIn }: ToProve): Receipt {
  const pieces = text === undefined ? piecesOf(forgotten.texts) : [...new Set([text, ...piecesOf(forgotten.texts)])];
  const cleared = clearFiles(db, paths, { pieces, sessions: forgotten.sessions });
  updateSearchIndex(db);
  const isClean = tryScrub(db, paths);
  const scanned = proveGone(db, paths.home, pieces, paths.database);
  const proof: Proof = { ...scanned, found: scanned.found.filter((path) => path !== namedIn) };
  const isProven = isClean && proof.found.length === 0 && proof.searchHits === 0;
  return { ...forgotten, ...cleared, proof, isClean, isProven, sources: sources.filter((path) => existsSync(path)) };
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
