// Cuts the original file out of the line of an edit before the line is parsed, because no reader uses it.

/** In a shorter line, cutting saves nothing. */
const MIN_BYTES = 4096;
/** The line's type is within its first bytes. */
const HEAD_BYTES = 400;
const TYPE = '"type":"user"';
const RESULT = Buffer.from(',"toolUseResult":{');
const FIELD = "originalFile";
const [QUOTE, COLON, COMMA, BACKSLASH] = Buffer.from('":,\\') as unknown as [number, number, number, number];

/** Empties `toolUseResult.originalFile`. Does not find that field if one before it is not a string. */
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

/** The index of the closing quotation mark. */
function stringEnd(line: Buffer, open: number): number {
  let index = open + 1;
  while (index < line.length && line[index] !== QUOTE) index += line[index] === BACKSLASH ? 2 : 1;
  return Math.min(index, line.length);
}
