// Finds indexed words for a word of a query: longer words that begin with it, and similar words to correct typos.
import { quoted } from "../../core/query.ts";
import { wordsOf } from "../../core/words.ts";
import type { Db } from "../db/driver.ts";
import { raw, sql } from "../db/sql.ts";
import { countRows, type FtsIndex, TOOL_USES, TURNS } from "./fts-index.ts";

/** Words to read from each index, in alphabetical order. Each takes 50 µs. */
const MAX_LONGER = 64;

/** Indexed words (stems) that begin with this one. An FTS5 query for "re*" would read every row of all of them. */
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

/** Prompts to read that share letters with the word. One of them probably has the intended word. */
const MAX_ALIKE = 60;
const MAX_PROMPT_CHARS = 4_000;

/** Prompts to rank by shared trigrams. Ranking more takes too long, so only the rarest trigrams are used. */
const MAX_SCORED_PROMPTS = 10_000;

/** Words of earlier prompts that share trigrams with this one and differ in length by at most 2. */
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
