// Shows a piece of text as a reader sees it: without colours, line numbers, diff marks and escapes. Maps places back.

export interface View {
  text: string;
  /** Start in the original text of the character at this place. */
  startOf(place: number): number;
  /** End in the original text of the character before this place. */
  endOf(place: number): number;
}

/** Line numbers (`12\t`, `12→`, `12:`), diff marks, quote marks and log times at the start of a line. */
const GUTTER =
  String.raw`(?:[ \t]{0,8}\d{1,6}(?:→|\t|[ \t]?[|│]|[:-](?=[ \t\w]))|[+-](?![+-])|> ?` +
  String.raw`|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[\d.,]{0,10}Z? |[\w.-]{1,30}[ \t]{1,6}\|[ \t])`;

const SPECIAL = new RegExp(
  [
    // Colour codes, as bytes and as escapes in source code and logs.
    String.raw`(?:\x1b|\\u001b|\\x1b|\\033|\\e)\[[\d;?]{0,16}[A-Za-z]`,
    // A line continuation.
    String.raw`[ \t](?:\\|\x60|\^)\r?\n[ \t]{0,40}`,
    String.raw`\\\r?\n[ \t]{0,40}`,
    // A line break, real or escaped, and a line number or mark after it.
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

/** `replace` returns one character or none. */
export function viewOf(text: string, from: number, to: number, special = SPECIAL, replace = plain): View {
  const slice = text.slice(from, to);
  const starts: number[] = [];
  const ends: number[] = [];
  let seen = "";
  let done = 0;
  const copy = (end: number): void => {
    seen += slice.slice(done, end);
    for (; done < end; done++) ends[starts.push(from + done) - 1] = from + done + 1;
  };
  for (const { index, 0: found } of slice.matchAll(special)) {
    copy(index);
    done += found.length;
    const character = replace(found);
    if (character === "") continue;
    seen += character;
    ends[starts.push(from + index) - 1] = from + done;
  }
  if (done === 0) return { text: slice, startOf: (place) => from + place, endOf: (place) => from + place };
  copy(slice.length);
  return { text: seen, startOf: (place) => starts[place] ?? from + done, endOf: (place) => ends[place - 1] ?? from };
}
