// Writes C-Mem's lines between two markers into a settings file that is not JSON. Lines outside are not changed.

const BEGIN = "# >>> c-mem: written by `c-mem install`, taken out by `c-mem uninstall` >>>";
const END = "# <<< c-mem <<<";

/** True for the first foreign line between the markers: it and the lines after it belong to another program. */
type IsForeign = (line: string) => boolean;

/** Puts the lines between the markers. If the file has no markers, appends them. */
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

/** Removes the block but keeps foreign lines in it: a program may insert a table before the end marker. */
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
