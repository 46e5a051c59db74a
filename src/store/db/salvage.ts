// Reads what can be read of a damaged database, row by row: around a page that is lost, not only up to it.
import type { Db } from "./driver.ts";
import type { MergedRow, MergeTable } from "./merge.ts";
import { TOMBSTONE_KINDS } from "../tables/tombstones.ts";
import { raw, sql } from "./sql.ts";

/** Rows per read. */
const BATCH = 200;
/** So many numbers in a row that cannot be read: what follows is lost as well, or there is nothing. */
const MAX_MISSES = 20_000;

export interface Salvage {
  /** Rows that are there but cannot be read, as far as their numbers are known. */
  lost: number;
}

export function* salvageRows(db: Db, table: MergeTable, salvage: Salvage): Generator<MergedRow[], void> {
  if (table === "tombstones") yield readTombstones(db, salvage);
  else yield* readRange(db, table, lastId(db, table), salvage);
}

function lastId(db: Db, table: string): number {
  try {
    return db.value<number>(sql`SELECT max(id) AS id FROM ${raw(table)}`) ?? 0;
  } catch {
    // The end of the table is lost: what lies before it is found from the front.
    return GUESS;
  }
}

const GUESS = 2 ** 31;

/** Halves what cannot be read as a whole, until single rows are left. */
function* readRange(db: Db, table: string, last: number, salvage: Salvage): Generator<MergedRow[], void> {
  const open: [from: number, to: number][] = [[1, last]];
  let misses = 0;
  for (let next = open.pop(); next !== undefined && misses < MAX_MISSES; next = open.pop()) {
    const [from, to] = next;
    const rows = tryRead(db, table, from, to);
    if (rows !== undefined) {
      if (rows.length > 0) misses = 0;
      if (rows.length > 0) yield rows;
      if (rows.length === BATCH) open.push([Number(rows.at(-1)?.["id"]) + 1, to]);
    } else if (from === to) {
      misses += 1;
      if (last !== GUESS) salvage.lost += 1;
    } else {
      const middle = from + Math.floor((to - from) / 2);
      open.push([middle + 1, to], [from, middle]);
    }
  }
}

function tryRead(db: Db, table: string, from: number, to: number): MergedRow[] | undefined {
  try {
    return db.all<MergedRow>(
      sql`SELECT * FROM ${raw(table)} WHERE id BETWEEN ${from} AND ${to} ORDER BY id LIMIT ${raw(BATCH)}`,
    );
  } catch {
    return undefined;
  }
}

/** So many digits of a hash: what lies on one page is fewer. */
const MAX_DIGITS = 3;

/** They have no numbers, but their hashes lie evenly: around a page that is lost by how these begin. */
function readTombstones(db: Db, salvage: Salvage): MergedRow[] {
  try {
    return db.all(sql`SELECT * FROM tombstones`);
  } catch {
    return readAround(db, salvage);
  }
}

function readAround(db: Db, salvage: Salvage): MergedRow[] {
  const rows: MergedRow[] = [];
  let isLost = false;
  const read = (kind: string, digits: string): void => {
    try {
      for (const row of db.all<MergedRow>(
        sql`SELECT * FROM tombstones WHERE kind = ${kind} AND hash >= ${digits} AND hash < ${`${digits}g`}`,
      ))
        rows.push(row);
    } catch {
      if (digits.length < MAX_DIGITS) for (const digit of "0123456789abcdef") read(kind, digits + digit);
      else isLost = true;
    }
  };
  for (const kind of TOMBSTONE_KINDS) read(kind, "");
  if (isLost) salvage.lost += 1;
  return rows;
}
