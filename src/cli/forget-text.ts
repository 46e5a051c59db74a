// The plan and the receipt of a forget: counts and hashes, none of the forgotten text.
import type { Receipt } from "../queries/forget.ts";
import type { ClearedCopies } from "../upkeep/erase/scrub-backups.ts";
import { MIN_PIECE_CHARS, type Proof } from "../upkeep/erase/verify-erased.ts";
import { byKind, DELETION_KINDS, type DeletionRows } from "../upkeep/erase/deletion-set.ts";
import type { ShortId } from "../store/reads/short-ids.ts";
import { columns, fit, pad } from "../platform/terminal/layout.ts";
import { count, listText } from "../core/text.ts";
import { bytes, dim, fields } from "../platform/terminal/style.ts";
import { when } from "../queries/session-text.ts";
import { paint } from "../platform/terminal/style.ts";

const SHOWN = 20;
/** More than any agent's ids have. */
const MAX_ID_COLUMNS = 60;

/** Lists what was selected; what a session or turn takes with it is only counted. */
export function planText(rows: DeletionRows, lead: string, shortId: ShortId): string {
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
  return [lead, ...lines.slice(0, SHOWN), ...more, dim(`  in all: ${amounts(amountsOf(rows))}`)].join("\n");
}

function amountsOf(rows: DeletionRows): Record<string, number> {
  return byKind((kind) => rows[kind].length);
}

function amounts(removed: Record<string, number>): string {
  const parts = Object.entries(removed)
    .filter(([, number]) => number > 0)
    .map(([kind, number]) => plural(number, kind.replace("_", " ")));
  return parts.length === 0 ? "nothing but mentions, and what backups hold" : parts.join(", ");
}

export function plural(number: number, many: string): string {
  const one = many
    .replace(/ies$/, "y")
    .replace(/(?<=sh|ch)es$/, "")
    .replace(/s$/, "");
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

const HASHES_SHOWN = 3;

export function receiptText(receipt: Receipt, rows: DeletionRows): string {
  const { proof, tombstones } = receipt;
  const names = Object.values(rows)
    .flat()
    .map((row) => row.item);
  const files = [
    receipt.copies > 0 && plural(receipt.copies, "transcript copies"),
    receipt.drops > 0 && count(receipt.drops, "drop"),
  ].filter(Boolean);
  const hashes = tombstones.slice(0, HASHES_SHOWN).map(({ kind, hash }) => `${kind} ${hash.slice(0, 12)}`);
  const keptOut = `${plural(tombstones.length, "hashes")} (${listText(hashes, HASHES_SHOWN)})`;
  const lines: [string, string][] = [
    ["removed", [amounts(receipt.removed), ...files].join(", ")],
    ...(names.length > 0 ? [["which", fit(listText(names, 12), columns() - 14)] satisfies [string, string]] : []),
    ...(hashes.length > 0 ? [["kept out by", fit(keptOut, columns() - 14)] satisfies [string, string]] : []),
    ["search", searchText(proof)],
    ["files", filesText(receipt)],
    ...(receipt.backups.cleaned.length + receipt.backups.removed.length > 0
      ? [["backups", backupsText(receipt.backups)] satisfies [string, string]]
      : []),
    ...(proof.elsewhere.length > 0
      ? [
          ["also said in", `${fit(listText(proof.elsewhere, 12), columns() - 30)} (left as they are)`] satisfies [
            string,
            string,
          ],
        ]
      : []),
    ...receipt.sources.map((path): [string, string] => [
      "still in",
      `${path} (the agent's own file; not read in again)`,
    ]),
    ["not ours", dim("copies you made of this folder, and what an agent or a model was shown before")],
  ];
  const head = receipt.isProven
    ? paint("green", "Forgotten.")
    : paint("red", "Forgotten, but not all of it could be proven.");
  return `${head}\n${fields(lines.map(([label, value]) => [dim(pad(label, 12)), value]))}`;
}

function searchText({ searchHits, alike, pieces }: Proof): string {
  if (pieces === 0) return "its rows and index entries are deleted";
  if (searchHits > 0) return paint("red", `still finds it ${searchHits} times`);
  return `finds nothing of it${alike > 0 ? `, only ${alike} that say something alike` : ""}`;
}

function backupsText({ cleaned, removed }: ClearedCopies): string {
  const parts = [
    cleaned.length > 0 && `taken out of ${count(cleaned.length, "backup")}`,
    removed.length > 0 && `deleted, because it could not be taken out: ${listText(removed, 5)}`,
  ];
  return parts.filter(Boolean).join("; ");
}

function scannedText({ pieces, tooShort, files, bytes: total }: Proof): string {
  if (pieces === 0) return `not searched: text under ${MIN_PIECE_CHARS} characters cannot be told from other text`;
  const scanned = `${count(files, "file")} (${bytes(total)}) scanned for ${count(pieces, "piece")} of it`;
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
      `${scanned}; free pages and the log could not be cleared now (another program reads the database?): run \`c-mem forget\` once more`,
    );
  if (proof.pieces === 0) return `${scanned}; free pages and the log are overwritten`;
  return proof.elsewhere.length > 0 ? `${scanned}: only where it is also said` : `${scanned}: none holds it`;
}
