// Recognises a query that is a line of output, such as an error, to find the tool uses that printed the same line.
import { outputLineOf, withoutPrefix } from "../../core/error-text.ts";
import { wordsOf } from "../../core/words.ts";

/** Shorter lines are in many outputs, longer ones are not searched for as one phrase. */
const MIN_WORDS = 3;
const MAX_WORDS = 40;
/** A part between two values needs this many words to be searched for. */
const MIN_PART_WORDS = 2;

/** Values that differ between runs: numbers, hashes, quoted numbers, paths of temporary files. */
const VALUES =
  /\b0x[0-9a-f]+\b|\b[0-9a-f]{8}-[0-9a-f-]{27}\b|\b(?=[a-f]*\d)[0-9a-f]{7,64}\b|(?:[A-Za-z]:)?(?:[\\/][\w@.~+:-]+){2,}|(?<![\p{L}\p{N}_])[\d.:,]*\d(?:ms|s|m|kb|mb|gb|b|%)?(?![\p{L}\p{N}_])/giu;

/**
 * The phrases that an output must contain: all words of the line; its words without the values that differ between runs
 * ("Timeout 5000ms exceeded in /tmp/a1/b.ts" -> "Timeout", "exceeded in"). Empty if the text is no line of output.
 */
export function outputPhrases(text: string): string[][][] {
  const line = outputLineOf(text);
  if (line === undefined) return [];
  const message = withoutPrefix(line);
  const whole = wordsOf(message);
  if (whole.length < MIN_WORDS || whole.length > MAX_WORDS) return [];
  const parts = message.split(VALUES).map((part) => wordsOf(part ?? ""));
  const constant = parts.filter((part) => part.length >= MIN_PART_WORDS);
  const isEnough = constant.flat().length >= MIN_WORDS && constant.flat().length < whole.length;
  return [[whole], ...(isEnough ? [constant] : [])];
}
