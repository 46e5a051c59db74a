// Finds indexed words for words that are not indexed: longer ones with the same beginning, and similar ones for typos.
import { quoted } from "../../core/query.ts";
import { wordsOf } from "../../core/words.ts";
import type { Db } from "../db/driver.ts";
import { raw, sql } from "../db/sql.ts";
import { countRows, type FtsIndex, TOOL_USES, TURNS } from "./fts-index.ts";

/** Words to read from each index, alphabetically; 50 µs each. */
const MAX_LONGER = 64;

/** Indexed words (as stems) with this beginning. A search for "re*" would first read every row of all of them. */
export function longerWords(db: Db, word: string): string[] {
  const start = word.normalize("NFD").replace(/\p{M}/gu, "");
  return [...new Set([TURNS, TOOL_USES].flatMap((index) => wordsFrom(db, index, start)))];
}

function wordsFrom(db: Db, { table }: FtsIndex, start: string): string[] {
  db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.${table}_words USING fts5vocab('main', '${table}', 'instance')`);
  const found: string[] = [];
  let from = sql`>= ${start}`;
  while (found.length < MAX_LONGER) {
    const next = db.value<string>(sql`SELECT term FROM temp.${raw(table)}_words WHERE term ${from} LIMIT 1`);
    if (next?.startsWith(start) !== true) break;
    found.push(next);
    from = sql`> ${next}`;
  }
  return found;
}

/** Prompts that share letters with the word: enough to contain the intended word, if it was ever used. */
const MAX_ALIKE = 60;
const MAX_PROMPT_CHARS = 4_000;

/** Prompts to rank by shared letters: more would take too long, and the rarest trigrams are the most specific. */
const MAX_SCORED_PROMPTS = 10_000;

/** Words of earlier prompts that share some letters with this one and are about as long. */
export function similarWords(db: Db, word: string): string[] {
  const trigrams = rarestTrigrams(db, word);
  if (trigrams.length === 0) return [];
  const texts = db.column<string>(sql`SELECT p.text FROM prompts_trigram JOIN prompts p ON p.id = prompts_trigram.rowid
    WHERE prompts_trigram MATCH ${trigrams.join(" OR ")} ORDER BY bm25(prompts_trigram) LIMIT ${MAX_ALIKE}`);
  const words = texts.flatMap((text) => wordsOf(text.slice(0, MAX_PROMPT_CHARS)).map((each) => each.toLowerCase()));
  return [...new Set(words)].filter((each) => Math.abs(each.length - word.length) <= 2);
}

function rarestTrigrams(db: Db, word: string): string[] {
  const letters = [...word];
  const trigrams = new Set(letters.slice(0, -2).map((_, index) => quoted(letters.slice(index, index + 3).join(""))));
  const counted = [...trigrams]
    .map((trigram) => ({ trigram, rows: countRows(db, { table: "prompts_trigram" }, trigram, MAX_SCORED_PROMPTS) }))
    .filter(({ rows }) => rows > 0)
    .sort((a, b) => a.rows - b.rows);
  let left = MAX_SCORED_PROMPTS;
  return counted.filter(({ rows }) => (left -= rows) > 0).map(({ trigram }) => trigram);
}
