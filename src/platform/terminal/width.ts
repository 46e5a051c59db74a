// Measures, cuts and wraps terminal text. Wide characters take 2 columns, combining marks 0.
import columnsOf from "fast-string-width";

/** A character takes at most 2 columns, also if it is stored in parts: Korean syllables as separate letters. */
const MAX_COLUMNS = 2;
/** Blocks of separate Korean letters, which the library counts one by one. */
const SEPARATE_LETTERS = /[\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/;

export function widthOf(text: string): number {
  if (!SEPARATE_LETTERS.test(text)) return columnsOf(text);
  return [...graphemes(text)].reduce((sum, { columns }) => sum + columns, 0);
}

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** Characters as a user sees them, with their columns: "👩‍👩‍👧" is one. */
export function* graphemes(text: string): Generator<{ text: string; index: number; columns: number }> {
  for (const { segment, index } of SEGMENTER.segment(text)) {
    yield { text: segment, index, columns: Math.min(MAX_COLUMNS, columnsOf(segment)) };
  }
}

/** Cuts the text to at most `width` columns, with an ellipsis if something was cut. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  let used = 0;
  let kept = "";
  for (const { text: piece, columns } of graphemes(text)) {
    used += columns;
    if (used > width - 1) break;
    kept += piece;
  }
  return width < 1 ? "" : `${kept.trimEnd()}…`;
}

/** Splits a text into lines of at most `width` columns, as [start, end]. Breaks at spaces if there are any. */
export function wrap(text: string, width: number, maxLines: number): [number, number][] {
  const lines: [number, number][] = [];
  let start = 0;
  let used = 0;
  let space = -1;
  for (const { text: piece, index, columns } of graphemes(text)) {
    if (used + columns > width && index > start) {
      const end = piece === " " ? index : space > start ? space : index;
      lines.push([start, end]);
      if (lines.length === maxLines) return lines;
      start = text[end] === " " ? end + 1 : end;
      used = start > index ? 0 : widthOf(text.slice(start, index));
      if (start > index) continue;
    }
    if (piece === " ") space = index;
    used += columns;
  }
  if (start < text.length) lines.push([start, text.length]);
  return lines;
}
