// A piece of text as a reader sees it: without colours, line numbers, diff marks and escapes, each place mapped back.

export interface View {
  text: string;
  /** Where the character at this place starts in the original text. */
  startOf(place: number): number;
  /** Where the character before this place ends in the original text. */
  endOf(place: number): number;
}

/** Line numbers (`12\t`, `12→`, `12:`), diff marks, quote marks and log times at the start of a line. */
const GUTTER =
  String.raw`(?:[ \t]{0,8}\d{1,6}(?:→|\t|[ \t]?[|│]|[:-](?=[ \t\w]))|[+-](?![+-])|> ?` +
  String.raw`|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,]{0,10}Z? |[\w.-]{1,30}[ \t]{1,6}\|[ \t])`;

const SPECIAL = new RegExp(
  [
    // Colours, as bytes and as they are written in source code and logs.
    String.raw`(?:\x1b|\\u001b|\\x1b|\\033|\\e)\[[\d;?]{0,16}[A-Za-z]`,
    // A line that goes on in the next one.
    String.raw`[ \t](?:\\|\x60|\^)\r?\n[ \t]{0,40}`,
    String.raw`\\\r?\n[ \t]{0,40}`,
    // A new line, real or escaped, and what stands before its content.
    String.raw`(?:\r\n|\\{1,7}r\\{1,7}n|\\{1,7}n)${GUTTER}?|\n${GUTTER}`,
    String.raw`\\{1,7}["'\x60t]`,
    String.raw`&(?:quot|#34|#x22|apos|#39|#x27|nbsp|amp|lt|gt);`,
    "[\u00a0\u2000-\u200f\u202f\u205f\u2060\u3000\ufeff：＝｜│“”„«»「」‘’]",
  ].join("|"),
  "g",
);

const CHARACTERS: Record<string, string> = {
  "：": ":",
  "＝": "=",
  "｜": "|",
  "│": "|",
  "“": '"',
  "”": '"',
  "„": '"',
  "«": '"',
  "»": '"',
  "「": '"',
  "」": '"',
  "‘": "'",
  "’": "'",
  "&quot;": '"',
  "&#34;": '"',
  "&#x22;": '"',
  "&apos;": "'",
  "&#39;": "'",
  "&#x27;": "'",
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&nbsp;": " ",
};

function plain(special: string): string {
  const known = CHARACTERS[special];
  if (known !== undefined) return known;
  if (special.startsWith("\x1b") || /^\\(?:u001b|x1b|033|e)\[/.test(special)) return "";
  if (/^[ \t]?[\\`^]\r?\n/.test(special)) return " ";
  if (/^(?:\r?\n|\\+[rn])/.test(special)) return "\n";
  if (/^\\+t$/.test(special)) return "\t";
  if (special.startsWith("\\")) return special.slice(-1);
  return /[\u200b-\u200f\u2060\ufeff]/.test(special) ? "" : " ";
}

interface Seam {
  /** In the view, behind what the special sequence became. */
  at: number;
  /** In the original text, behind the special sequence. */
  raw: number;
  start: number;
}

export function viewOf(text: string, from: number, to: number): View {
  const slice = text.slice(from, to);
  SPECIAL.lastIndex = 0;
  let match = SPECIAL.exec(slice);
  if (match === null) return { text: slice, startOf: (place) => from + place, endOf: (place) => from + place };
  const seams: Seam[] = [];
  let out = "";
  let done = 0;
  for (; match !== null; match = SPECIAL.exec(slice)) {
    out += slice.slice(done, match.index) + plain(match[0]);
    done = match.index + match[0].length;
    seams.push({ at: out.length, raw: done, start: match.index });
  }
  out += slice.slice(done);
  return {
    text: out,
    startOf(place) {
      const index = seams.findLastIndex(({ at }) => at <= place);
      const seam = seams[index];
      const next = seams[index + 1];
      const raw = seam === undefined ? place : seam.raw + place - seam.at;
      return from + (next === undefined ? raw : Math.min(raw, next.start));
    },
    endOf(place) {
      if (place === 0) return from;
      const index = seams.findLastIndex(({ at }) => at < place);
      const seam = seams[index];
      const next = seams[index + 1];
      // The last character may itself be what a sequence became: its end is the end of the sequence.
      if (next !== undefined && next.at === place && isWhole(seams, index + 1)) return from + next.raw;
      return from + (seam === undefined ? place : seam.raw + place - seam.at);
    },
  };
}

/** Whether the sequence became a character, as opposed to nothing. */
function isWhole(seams: readonly Seam[], index: number): boolean {
  const seam = seams[index] as Seam;
  const before = seams[index - 1];
  const between = seam.start - (before?.raw ?? 0);
  return seam.at - (before?.at ?? 0) > between;
}
