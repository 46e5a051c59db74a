// Words that are in the index, for words that are not: longer ones that begin like them, and those that look like them.
import { quoted } from "../../core/query.ts";
import { wordsOf } from "../../core/words.ts";
import type { Db } from "../db/driver.ts";
import { countRows, type Lane, TALK, WORK } from "./fts-index.ts";

/** Of each index, in the order of the alphabet; 50 µs each. */
const MAX_LONGER = 64;

/** Words (as stems) that begin like this one. An index asked for "re*" would read every row of all of them first. */
export function longerWords(db: Db, word: string): string[] {
  const start = word.normalize("NFD").replace(/\p{M}/gu, "");
  return [...new Set([TALK, WORK].flatMap((lane) => wordsFrom(db, lane, start)))];
}

function wordsFrom(db: Db, { table }: Lane, start: string): string[] {
  db.exec(`CREATE VIRTUAL TABLE IF NOT EXISTS temp.${table}_words USING fts5vocab('main', '${table}', 'instance')`);
  const words: string[] = [];
  let place = { sign: ">=", word: start };
  while (words.length < MAX_LONGER) {
    const sql = `SELECT term FROM temp.${table}_words WHERE term ${place.sign} ? LIMIT 1`;
    const next = db.get<{ term: string }>(sql, place.word)?.term;
    if (next?.startsWith(start) !== true) break;
    words.push(next);
    place = { sign: ">", word: next };
  }
  return words;
}

/** Prompts that share letters with the word: enough to hold what was meant, if anybody has ever said it. */
const MAX_ALIKE = 60;
const MAX_PROMPT_CHARS = 4_000;

/** Prompts to rank by shared letters: more would take too long, and the rarest pieces tell the most. */
const MAX_SCORED_PROMPTS = 10_000;

/** Words of earlier prompts that share some letters with this one and are about as long. */
export function similarWords(db: Db, word: string): string[] {
  const pieces = rarestPieces(db, word);
  if (pieces.length === 0) return [];
  const rows = db.all<{ text: string }>(
    `SELECT p.text FROM prompts_trigram JOIN prompts p ON p.id = prompts_trigram.rowid
     WHERE prompts_trigram MATCH ? ORDER BY bm25(prompts_trigram) LIMIT ?`,
    pieces.join(" OR "),
    MAX_ALIKE,
  );
  const words = rows.flatMap((row) => wordsOf(row.text.slice(0, MAX_PROMPT_CHARS)).map((each) => each.toLowerCase()));
  return [...new Set(words)].filter((each) => Math.abs(each.length - word.length) <= 2);
}

function rarestPieces(db: Db, word: string): string[] {
  const letters = [...word];
  const pieces = new Set(letters.slice(0, -2).map((_, index) => quoted(letters.slice(index, index + 3).join(""))));
  const counted = [...pieces]
    .map((piece) => ({ piece, rows: countRows(db, { table: "prompts_trigram" }, piece, MAX_SCORED_PROMPTS) }))
    .filter(({ rows }) => rows > 0)
    .sort((a, b) => a.rows - b.rows);
  let left = MAX_SCORED_PROMPTS;
  return counted.filter(({ rows }) => (left -= rows) > 0).map(({ piece }) => piece);
}
