// Reads the rows of a damaged database that are still readable, including rows after a damaged page.
import { TOMBSTONE_KINDS } from "../tables/tombstones.ts";
import type { Db } from "./driver.ts";
import type { MergedRow, MergeTable } from "./merge.ts";
import { raw, sql, type Sql } from "./sql.ts";

/** Rows per read. */
const BATCH = 200;
/** After this many unreadable ids without a readable row in between, the rest of the table is skipped. */
const MAX_MISSES = 20_000;

export interface Salvage {
  /** Number of ids that cannot be read, in tables whose last id is known. All lost tombstones count as one. */
  lost: number;
}

export function* salvageRows(db: Db, table: MergeTable, salvage: Salvage): Generator<MergedRow[], void> {
  if (table === "tombstones") yield readTombstones(db, salvage);
  else yield* readRange(db, table, lastId(db, table), salvage);
}

/** The last id to try if the end of a table is damaged. */
const GUESSED_LAST_ID = 2 ** 31;

function lastId(db: Db, table: string): number {
  try {
    return db.value(sql`SELECT max(id) FROM ${raw(table)}`) ?? 0;
  } catch {
    return GUESSED_LAST_ID;
  }
}

/** If a range of ids cannot be read, reads each half of it, and so on down to single rows. */
function* readRange(db: Db, table: string, last: number, salvage: Salvage): Generator<MergedRow[], void> {
  const open: [from: number, to: number][] = [[1, last]];
  let misses = 0;
  for (let next = open.pop(); next !== undefined && misses < MAX_MISSES; next = open.pop()) {
    const [from, to] = next;
    const rows = tryRead(
      db,
      sql`SELECT * FROM ${raw(table)} WHERE id BETWEEN ${from} AND ${to} ORDER BY id LIMIT ${BATCH}`,
    );
    if (rows !== undefined) {
      if (rows.length > 0) misses = 0;
      if (rows.length > 0) yield rows;
      if (rows.length === BATCH) open.push([Number(rows.at(-1)?.["id"]) + 1, to]);
    } else if (from === to) {
      misses += 1;
      if (last !== GUESSED_LAST_ID) salvage.lost += 1;
    } else {
      const middle = from + Math.floor((to - from) / 2);
      open.push([middle + 1, to], [from, middle]);
    }
  }
}

function tryRead(db: Db, query: Sql): MergedRow[] | undefined {
  try {
    return db.all(query);
  } catch {
    return undefined;
  }
}

/** Rows whose hashes share three hex digits fit on one page. */
const MAX_DIGITS = 3;

/** Tombstones have no ids. If the table is damaged, they are read in groups with the same first digits of the hash. */
function readTombstones(db: Db, salvage: Salvage): MergedRow[] {
  const all = tryRead(db, sql`SELECT * FROM tombstones`);
  if (all !== undefined) return all;
  let isLost = false;
  const read = (kind: string, digits: string): MergedRow[] => {
    const rows = tryRead(
      db,
      sql`SELECT * FROM tombstones WHERE kind = ${kind} AND hash >= ${digits} AND hash < ${`${digits}g`}`,
    );
    if (rows !== undefined) return rows;
    if (digits.length < MAX_DIGITS) return [..."0123456789abcdef"].flatMap((digit) => read(kind, digits + digit));
    isLost = true;
    return [];
  };
  const rows = TOMBSTONE_KINDS.flatMap((kind) => read(kind, ""));
  if (isLost) salvage.lost += 1;
  return rows;
}
