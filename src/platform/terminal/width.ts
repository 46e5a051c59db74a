// How much room text takes on a terminal, and cutting it to fit: wide characters take two columns, marks none.

const SEGMENTER = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** East Asian wide and full-width blocks. What is an emoji by itself is asked of the regular expression below. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff01, 0xff60],
  [0xffe0, 0xffe6],
  [0x1b000, 0x1b2ff],
  [0x20000, 0x3fffd],
];
const EMOJI = /\p{Emoji_Presentation}|\ufe0f/u;
const TAKES_NO_ROOM = /^[\p{Mn}\p{Me}\p{Cf}\u200b]+$/u;
const ASCII = /^[ -~]*$/;

/** What a reader takes for one character, with its columns. */
export function* graphemes(text: string): Generator<{ text: string; index: number; columns: number }> {
  for (const { segment, index } of SEGMENTER.segment(text)) yield { text: segment, index, columns: columnsOf(segment) };
}

export function widthOf(text: string): number {
  // Most text is plain; finding the characters in it costs fifty times as much.
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { columns } of graphemes(text)) width += columns;
  return width;
}

/** At most `width` columns, with an ellipsis where something was cut. */
export function cutTo(text: string, width: number): string {
  if (text.length <= width && ASCII.test(text)) return text;
  let used = 0;
  /** Up to here there is room for the ellipsis. */
  let keep = 0;
  for (const { text: piece, index, columns } of graphemes(text)) {
    if (used + columns > width) return width < 1 ? "" : `${text.slice(0, keep).trimEnd()}…`;
    used += columns;
    if (used <= width - 1) keep = index + piece.length;
  }
  return text;
}

/** The pieces of a text that fill lines of `width`, as [start, end]; broken at spaces where there are any. */
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

function columnsOf(grapheme: string): number {
  const code = grapheme.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x7f && grapheme.length === 1) return 1;
  if (TAKES_NO_ROOM.test(grapheme)) return 0;
  if (EMOJI.test(grapheme)) return 2;
  return WIDE.some(([from, to]) => code >= from && code <= to) ? 2 : 1;
}
