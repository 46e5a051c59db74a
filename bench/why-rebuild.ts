// Rebuilds a file from its recorded edits, forwards, and remembers which edit inserted each line. Independent of the
// code that is measured: it goes the other way, and compares lines by their longest common subsequence.
import { splitLines } from "../src/core/lines/file-change.ts";

export interface RebuiltLine {
  text: string;
  /** The index of the edit. */
  by: number;
}

interface Use {
  input: string;
  kind: string;
}

const CUT = "characters cut by c-mem";

/** Undefined if the whole text cannot be known: the file existed before, or an edit does not fit what was recorded. */
export function rebuildFile(uses: readonly Use[]): RebuiltLine[] | undefined {
  let lines: RebuiltLine[] | undefined;
  for (const [by, { input, kind }] of uses.entries()) {
    const { content, file_text, old_string, new_string, old_str, new_str, replace_all } = JSON.parse(input) as Record<
      string,
      unknown
    >;
    const whole = content ?? file_text;
    const [before, after] = [old_string ?? old_str, new_string ?? new_str];
    if (typeof whole === "string") {
      if (whole.includes(CUT) || (lines === undefined && kind !== "create")) return undefined;
      lines = update(kind === "create" ? [] : (lines ?? []), splitLines(whole), by);
    } else if (lines !== undefined && typeof before === "string" && typeof after === "string") {
      const text = lines.map((line) => `${line.text}\n`).join("");
      if (before === "" || !text.includes(before) || after.includes(CUT)) return undefined;
      const now = replace_all === true ? text.replaceAll(before, () => after) : text.replace(before, () => after);
      lines = update(lines, splitLines(now), by);
    } else return undefined;
  }
  return lines;
}

function update(old: readonly RebuiltLine[], now: readonly string[], by: number): RebuiltLine[] {
  const width = now.length + 1;
  const lengths = new Uint32Array((old.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = now.length - 1; column >= 0; column--)
      lengths[row * width + column] =
        old[row]?.text === now[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
  const lines: RebuiltLine[] = now.map((text) => ({ text, by }));
  for (let row = 0, column = 0; row < old.length && column < now.length;) {
    const known = old[row];
    if (known !== undefined && known.text === now[column]) {
      lines[column++] = known;
      row += 1;
    } else if (at(row + 1, column) >= at(row, column + 1)) row += 1;
    else column += 1;
  }
  return lines;
}
