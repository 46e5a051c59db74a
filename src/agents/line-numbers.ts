// Agents show files with line numbers; the text itself is what we keep, so that all ways in give the same.

/** `1\tx` and `1→x` (Claude Code), `1. x` (Copilot CLI), `00001| x` and `1: x` (OpenCode). */
const NUMBERED = /^ *(\d{1,9})(?:→|\t|\. |\| |: )/;

/** Takes the numbers off that count up from the first line's; a line that is not the next keeps what it begins with. */
export function stripLineNumbers(text: string): string {
  const first = NUMBERED.exec(text)?.[1];
  if (first === undefined) return text;
  const lines = text.split("\n");
  let expected = Number(first);
  return lines
    .map((line) => {
      const found = NUMBERED.exec(line);
      if (found === null || Number(found[1]) !== expected) return line;
      expected += 1;
      return line.slice(found[0].length);
    })
    .join("\n");
}
