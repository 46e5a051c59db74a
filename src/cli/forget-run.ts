// Forgets a selection: shows it, asks, deletes it, and prints a receipt with counts and hashes, but none of the text.
import { AppError } from "../core/error.ts";
import { count, listText } from "../core/text.ts";
import { columns, fit, pad } from "../platform/terminal/layout.ts";
import { bytes, dim, fields, paint } from "../platform/terminal/style.ts";
import { carryOutForget, type Plan, type Receipt } from "../queries/forget.ts";
import type { QueryContext } from "../queries/query.ts";
import { when } from "../queries/session-text.ts";
import { type ShortId, shortIds } from "../store/reads/short-ids.ts";
import { byKind, DELETION_KINDS, type DeletionRows } from "../upkeep/erase/deletion-set.ts";
import type { ClearedCopies } from "../upkeep/erase/scrub-backups.ts";
import { MIN_PIECE_CHARS, type Proof } from "../upkeep/erase/verify-erased.ts";
import { EXIT, print, printAnswer, say } from "./output.ts";
import { askYesNo } from "./prompts.ts";

interface ForgetOptions {
  json: boolean;
  yes: boolean;
  dryRun: boolean;
  command: string;
  /** A file that is allowed to contain the forgotten text. */
  namedIn?: string;
  /** Called after the answer, yes or no, or at once with --yes; always before anything is deleted. */
  afterAnswer?: () => void;
}

export async function runForget(context: QueryContext, plan: Plan, options: ForgetOptions): Promise<number> {
  const { json, command, namedIn, afterAnswer } = options;
  const shortId = shortIds(
    context.db,
    plan.rows.sessions.map((row) => row.item),
  );
  if (options.dryRun) {
    if (json) printAnswer(command, plan);
    else print(planText(plan.rows, "This would be deleted:", shortId));
    return EXIT.ok;
  }
  if (!options.yes) {
    say(planText(plan.rows, "This will be deleted for good:", shortId));
    if (!(await askYesNo("Delete this for good?", { isDestructive: true }))) {
      afterAnswer?.();
      say("Nothing was forgotten.");
      return EXIT.failure;
    }
  }
  afterAnswer?.();
  const answer = carryOutForget(context, plan, namedIn);
  const { trouble, isProven } = answer.receipt;
  if (trouble !== undefined)
    say(trouble instanceof AppError ? `${trouble.message} ${trouble.hint ?? ""}` : String(trouble));
  if (json) printAnswer(command, answer);
  else print(receiptText(answer.receipt, plan.rows));
  return isProven ? EXIT.ok : EXIT.failure;
}

const SHOWN = 20;
/** Longer than the ids of any agent. */
const MAX_ID_COLUMNS = 60;

/** Lists the selection; the contents of a session or turn are only counted. */
function planText(rows: DeletionRows, lead: string, shortId: ShortId): string {
  const sessions = new Set(rows.sessions.map((row) => row.item));
  const turns = new Set(rows.prompts.map((row) => `${row.session_db_id}:${row.prompt_number}`));
  const lines = DELETION_KINDS.flatMap(([kind, noun]) =>
    rows[kind]
      .filter((row) => kind === "sessions" || !sessions.has(row.session_id ?? ""))
      .filter(
        (row) => !["messages", "tool_uses"].includes(kind) || !turns.has(`${row.session_db_id}:${row.prompt_number}`),
      )
      .map((row) => {
        const id = pad(kind === "sessions" ? fit(shortId(row.item), MAX_ID_COLUMNS) : fit(row.item, 14), 8);
        const left = `  ${pad(noun, 11)}  ${paint("yellow", id)}  ${when(row.at)}  `;
        return left + fit(row.title, Math.max(20, columns() - 35 - id.length));
      }),
  );
  const more = lines.length > SHOWN ? [dim(`  and ${lines.length - SHOWN} more`)] : [];
  return [
    lead,
    ...lines.slice(0, SHOWN),
    ...more,
    dim(`  total: ${amounts(byKind((kind) => rows[kind].length))}`),
  ].join("\n");
}

function amounts(removed: Record<string, number>): string {
  const parts = Object.entries(removed)
    .filter(([, number]) => number > 0)
    .map(([kind, number]) => plural(number, kind.replace("_", " ")));
  return parts.length === 0 ? "only mentions, and text in backups" : parts.join(", ");
}

export function plural(number: number, many: string): string {
  const one = many
    .replace(/ies$/, "y")
    .replace(/(?<=sh|ch)es$/, "")
    .replace(/s$/, "");
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

const HASHES_SHOWN = 3;

function receiptText(receipt: Receipt, rows: DeletionRows): string {
  const { proof, tombstones } = receipt;
  const names = Object.values(rows)
    .flat()
    .map((row) => row.item);
  const files = [
    receipt.copies > 0 && plural(receipt.copies, "transcript copies"),
    receipt.drops > 0 && count(receipt.drops, "drop"),
  ].filter(Boolean);
  const hashes = tombstones.slice(0, HASHES_SHOWN).map(({ kind, hash }) => `${kind} ${hash.slice(0, 12)}`);
  const blocked = `${plural(tombstones.length, "hashes")} (${listText(hashes, HASHES_SHOWN)})`;
  const lines: [string, string | false][] = [
    ["removed", [amounts(receipt.removed), ...files].join(", ")],
    ["ids", names.length > 0 && fit(listText(names, 12), columns() - 14)],
    ["tombstones", hashes.length > 0 && fit(blocked, columns() - 14)],
    ["search", searchText(proof)],
    ["files", filesText(receipt)],
    ["backups", backupsText(receipt.backups)],
    [
      "also found in",
      proof.elsewhere.length > 0 && `${fit(listText(proof.elsewhere, 12), columns() - 30)} (not changed)`,
    ],
    ...receipt.sources.map((path): [string, string] => [
      "still in",
      `${path} (the agent's own file; not imported again)`,
    ]),
    ["not covered", dim("your own copies of this folder, and text that an agent or a model has already seen")],
  ];
  const head = receipt.isProven ? paint("green", "Forgotten.") : paint("red", "Forgotten, but not fully verified.");
  const shown = lines.flatMap(([label, value]) => (value ? [[dim(pad(label, 12)), value] as const] : []));
  return `${head}\n${fields(shown)}`;
}

function searchText({ searchHits, alike, pieces }: Proof): string {
  if (pieces === 0) return "its rows and index entries are deleted";
  if (searchHits > 0) return paint("red", `still has ${plural(searchHits, "matches")}`);
  return `no match${alike > 0 ? ` (${count(alike, "similar text")} remain)` : ""}`;
}

function backupsText({ cleaned, removed }: ClearedCopies): string {
  const parts = [
    cleaned.length > 0 && `removed from ${count(cleaned.length, "backup")}`,
    removed.length > 0 && `deleted because the text could not be removed: ${listText(removed, 5)}`,
  ];
  return parts.filter(Boolean).join("; ");
}

function scannedText({ pieces, tooShort, files, bytes: total }: Proof): string {
  if (pieces === 0) return `not searched: text under ${MIN_PIECE_CHARS} characters may also be part of other text`;
  const scanned = `${count(files, "file")} (${bytes(total)}) scanned for ${count(pieces, "piece")} of text`;
  return tooShort === 0
    ? scanned
    : `${scanned}, not for ${count(tooShort, "text")} under ${MIN_PIECE_CHARS} characters`;
}

function filesText({ proof, isClean }: Receipt): string {
  const scanned = scannedText(proof);
  if (proof.found.length > 0) return paint("red", `${scanned}: found in ${listText(proof.found, 5)}`);
  if (!isClean)
    return paint(
      "red",
      `${scanned}; free pages and the log could not be cleared (another program may be reading the database): run \`c-mem forget\` again`,
    );
  if (proof.pieces === 0) return `${scanned}; free pages and the log are overwritten`;
  return proof.elsewhere.length > 0 ? `${scanned}: found only in the places below` : `${scanned}: not found`;
}
