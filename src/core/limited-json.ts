// JSON of unknown origin: 6 MB of `[` would take 570 MB to parse.

/** Deeper than anything that is kept. */
const MAX_DEPTH = 1_000;
/** What is shorter cannot take much. */
const SMALL_CHARS = 64 * 1024;

/** Throws for what is nested too deep, as for what is no JSON. */
export function parseLimitedJson(text: string): unknown {
  if (text.length > SMALL_CHARS && isDeeperThan(text, MAX_DEPTH)) throw new SyntaxError("nested too deep");
  return JSON.parse(text);
}

function isDeeperThan(text: string, maxDepth: number): boolean {
  const mark = /["[\]{}]/g;
  let depth = 0;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    if (found[0] === '"') {
      mark.lastIndex = stringEnd(text, mark.lastIndex);
    } else if (found[0] === "[" || found[0] === "{") {
      depth += 1;
      if (depth > maxDepth) return true;
    } else depth -= 1;
  }
  return false;
}

/** After the closing quotation mark. */
function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}
