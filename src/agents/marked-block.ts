// C-Mem's lines in a settings file that is not JSON: between two markers. Nothing outside of them changes.

const BEGIN = "# >>> c-mem: written by `c-mem install`, taken out by `c-mem uninstall` >>>";
const END = "# <<< c-mem <<<";

/** True for a line that is not C-Mem's: it and those after it, up to the end marker, belong to others. */
type IsForeign = (line: string) => boolean;

/** Puts these lines between the markers; without markers, both go to the end. */
export function addBlock(text: string, lines: readonly string[], isForeign: IsForeign = never): string {
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const block = findBlock(text, isForeign);
  if (block === undefined) {
    const gap = text === "" || text.endsWith("\n") ? "" : eol;
    return `${text}${gap}${[BEGIN, ...lines, END, ""].join(eol)}`;
  }
  const body = [BEGIN, ...lines, ...block.foreign, END].join(eol);
  return text.slice(0, block.from) + body + text.slice(block.to);
}

/** Keeps foreign lines between the markers: a program may append to the last table before the end marker, a comment. */
export function removeBlock(text: string, isForeign: IsForeign = never): string {
  const block = findBlock(text, isForeign);
  if (block === undefined) return text;
  const eol = text.includes("\r\n") ? "\r\n" : "\n";
  const kept = block.foreign.map((line) => line + eol).join("");
  return text.slice(0, block.from) + kept + text.slice(block.to).replace(/^\r?\n/, "");
}

export function outsideBlock(text: string): string {
  const block = findBlock(text, never);
  return block === undefined ? text : text.slice(0, block.from) + text.slice(block.to);
}

function findBlock(text: string, isForeign: IsForeign): { from: number; to: number; foreign: string[] } | undefined {
  const from = text.indexOf(BEGIN);
  const end = from < 0 ? -1 : text.indexOf(END, from);
  if (end < 0) return undefined;
  const inside = text
    .slice(from + BEGIN.length, end)
    .split(/\r?\n/)
    .slice(1, -1);
  const first = inside.findIndex(isForeign);
  return { from, to: end + END.length, foreign: first < 0 ? [] : inside.slice(first) };
}

function never(): boolean {
  return false;
}
