// Most bytes of an edit's line are the file as it was before, which nobody reads: they are cut out before it is parsed.

/** In shorter lines there is too little to gain. */
const MIN_BYTES = 4096;
/** The type of a line stands near its beginning. */
const HEAD_BYTES = 400;
const TYPE = '"type":"user"';
const RESULT = Buffer.from(',"toolUseResult":{');
const FIELD = "originalFile";
const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** The line with an empty `toolUseResult.originalFile`; the line itself where that does not follow plain strings only. */
export function withoutOriginalFile(line: Buffer): Buffer {
  if (line.length < MIN_BYTES || !line.toString("latin1", 0, HEAD_BYTES).includes(TYPE)) return line;
  const found = line.indexOf(RESULT);
  if (found < 0) return line;
  for (let key = found + RESULT.length; line[key] === QUOTE;) {
    const keyEnd = stringEnd(line, key);
    const value = keyEnd + 2;
    if (line[keyEnd + 1] !== COLON || line[value] !== QUOTE) break;
    const valueEnd = stringEnd(line, value);
    if (line.toString("latin1", key + 1, keyEnd) === FIELD) {
      return Buffer.concat([line.subarray(0, value + 1), line.subarray(valueEnd)]);
    }
    if (line[valueEnd + 1] !== COMMA) break;
    key = valueEnd + 2;
  }
  return line;
}

/** Where the quotation mark is that closes the one at `open`. */
function stringEnd(line: Buffer, open: number): number {
  let place = open + 1;
  while (place < line.length && line[place] !== QUOTE) place += line[place] === BACKSLASH ? 2 : 1;
  return Math.min(place, line.length);
}
