// The rows of the screen: query, filters, list, snippet, keys.

export interface Size {
  columns: number;
  rows: number;
}

export interface Layout {
  filters: boolean;
  listRows: number;
  /** Rows for the snippet itself; 0 leaves out what belongs to it. */
  snippetRows: number;
  keys: boolean;
}

const SNIPPET_ROWS = 3;
/** A rule, and a line about the session. */
const SNIPPET_HEAD_ROWS = 2;
const MIN_ROWS_FOR_SNIPPET = 14;
const MIN_ROWS_FOR_KEYS = 6;
const MIN_ROWS_FOR_FILTERS = 4;

export function layoutOf({ rows }: Size): Layout {
  const filters = rows >= MIN_ROWS_FOR_FILTERS;
  const keys = rows >= MIN_ROWS_FOR_KEYS;
  const snippetRows = rows >= MIN_ROWS_FOR_SNIPPET ? SNIPPET_ROWS : 0;
  const snippet = snippetRows === 0 ? 0 : snippetRows + SNIPPET_HEAD_ROWS;
  return { filters, keys, snippetRows, listRows: Math.max(0, rows - 1 - Number(filters) - Number(keys) - snippet) };
}
