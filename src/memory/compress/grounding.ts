// Whether what is claimed can be in the record at all: names, paths and numbers that are nowhere in it were made up.

/** Words that name something: with a digit, an underscore, a slash, a dot inside, or a capital inside. */
const SPECIFIC = /[\p{L}\d_./@-]*(?:[\p{Ll}][\p{Lu}]|[_/\d]|[\p{L}\d]\.[\p{L}\d])[\p{L}\d_./@-]*/gu;
const MIN_CHARS = 3;
/** Of so few a model may have said one in its own way. */
const MIN_SPECIFICS = 2;
const WANTED_SHARE = 0.5;

export function isGrounded(claim: string, record: string): boolean {
  const specifics = new Set([...claim.matchAll(SPECIFIC)].map(([word]) => bare(word)));
  specifics.delete("");
  if (specifics.size < MIN_SPECIFICS) return true;
  const found = [...specifics].filter((word) => record.includes(word)).length;
  return found / specifics.size >= WANTED_SHARE;
}

function bare(word: string): string {
  const name = word.toLowerCase().replace(/^[./@-]+|[./@-]+$/g, "");
  return name.length < MIN_CHARS ? "" : name;
}
