// Tells English prose from other languages: the classifier knows only English sentences.

const FUNCTION_WORDS = new Set(
  (
    "the a an is are was were be been it its this that these those to of in on for with from by as at and or but not no if so " +
    "now then when which what how why where there here you your i we they our my me can could will would should must may " +
    "have has had do does did done only also just all any more than into after before because already up out still yet"
  ).split(" "),
);
const MAX_CHARS = 4_000;
const MIN_WORDS = 12;
const MIN_SHARE = 0.12;

/** True for short texts in ASCII, and for texts in which at least 12% of the words are English function words. */
export function isEnglish(text: string): boolean {
  const words = text
    .slice(0, MAX_CHARS)
    .replace(/`[^`]*`/g, " ")
    .replace(/\S+/g, (token) => (/[/\\_]/.test(token) ? " " : token))
    .toLowerCase()
    .match(/[\p{L}'’]+/gu);
  if (words === null) return true;
  // oxlint-disable-next-line no-control-regex -- all of ASCII
  if (words.length < MIN_WORDS) return words.every((word) => /^[\x00-\x7f’]+$/.test(word));
  return words.filter((word) => FUNCTION_WORDS.has(word)).length / words.length >= MIN_SHARE;
}
