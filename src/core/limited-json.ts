// Parses untrusted JSON within limits: 6 MB of `[` would take 570 MB to parse, 24 MB of `{},` a gigabyte.

/** Deeper than any stored value. */
const MAX_DEPTH = 1_000;
/** Parsing takes at most 60 MB of memory. A row of an export has fewer than 500 values. */
const MAX_VALUES = 500_000;
/** Shorter texts need no check. */
const SMALL_CHARS = 64 * 1024;

const [QUOTE, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x2c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Throws if the text is not JSON, is nested too deeply or has too many values. */
export function parseLimitedJson(text: string): unknown {
  if (text.length > SMALL_CHARS) checkShape(text);
  return JSON.parse(text);
}

function checkShape(text: string): void {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = stringEnd(text, at + 1) - 1;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1;
        values += 1;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1;
        break;
      case COMMA:
        values += 1;
    }
    if (depth > MAX_DEPTH) throw new SyntaxError("nested too deep");
    if (values > MAX_VALUES) throw new SyntaxError("too many values");
  }
}

/** The index after the closing quotation mark. */
function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let slashes = 0;
    while (text[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
  return text.length;
}
