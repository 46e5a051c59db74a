// Makes tags and control tokens in recorded text harmless. Recognises them by shape: clients and models use any names.

/**
 * Invisible characters, except line breaks and tabs. They hide a tag from a pattern, but not from a model. Spelled out,
 * because \p{Default_Ignorable_Code_Point} takes a third of a millisecond to compile.
 */
const INVISIBLE =
  // oxlint-disable-next-line no-control-regex, no-misleading-character-class
  /[\ufe00-\ufe0f\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]/gu;
const MAYBE_INVISIBLE = /[^\t\n -~]/;
/** Unicode line separators, and the Braille blank. */
const BLANKS = /[\u2028\u2029\u2800]/g;
/** Spaces that can split a tag's name: `<task\u2800-notification>` is also checked as `<task-notification>`. */
const WIDE_BLANK = /[\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\u3000]/;
const WIDE_BLANKS = new RegExp(WIDE_BLANK.source, "g");

/** `<` and characters that look like it. In a tag they are replaced by `‹`. */
const ANGLES = "<＜﹤≮〈⟨〈❮❰❬⧼˂ᐸ≺◁⊲";
const SQUARES = "[［⁅⟦【〚";
const BRACKET = new RegExp(`[${ANGLES}${SQUARES.replace("[", "\\[")}]`, "g");
const SAFE_ANGLE = "‹";
const SAFE_SQUARE = "[·";

/** Number of characters after the bracket that are checked. */
const WINDOW = 160;

/** `rest`: the normalised text after the bracket. `before`: the character before it. */
type IsTag = (rest: string, bracket: "<" | "[", before: string) => boolean;

/** Removes invisible characters and replaces the bracket of every tag. */
export function neutraliseTags(text: string, isTag: IsTag = isControlTag): string {
  const isPlain = !MAYBE_INVISIBLE.test(text);
  const seen = isPlain ? text : text.replace(INVISIBLE, "");
  const safe = seen.replace(BRACKET, (bracket, at: number) => {
    const kind = SQUARES.includes(bracket) ? "[" : "<";
    const rest = seen.slice(at + 1, at + 1 + WINDOW);
    const readings = WIDE_BLANK.test(rest) ? [rest.replace(BLANKS, " "), rest.replace(WIDE_BLANKS, "")] : [rest];
    if (!readings.some((one) => isTag(comparable(one), kind, seen.charAt(at - 1)))) return bracket;
    return kind === "[" ? SAFE_SQUARE : SAFE_ANGLE;
  });
  return isPlain ? safe : safe.replace(BLANKS, " ");
}

/** Converts full-width letters to ASCII and removes diacritics. */
function comparable(text: string): string {
  return MAYBE_INVISIBLE.test(text) ? text.replace(INVISIBLE, "").normalize("NFKD").replace(/\p{M}/gu, "") : text;
}

/** `</x`, `<|x`, `<!x`, `<?x`, with or without spaces. Also an empty rest: only diacritics followed. */
const MARKED = /^\s*\\?(?:$|[/∕⁄╱⧸|!?])/;
const OUR_FENCE = /^\s*c(?:laude)?-mem-context/i;
/** Most characters beyond ASCII count as letters. */
const NAMED = /^(\s*)([A-Za-z_\u00c0-\u1fff\u2c00-\uffff][\w:.\u00c0-\u1fff\u2c00-\uffff-]*)(\s*)/;

function isControlTag(rest: string, bracket: "<" | "[", before: string): boolean {
  if (bracket === "[") return isControlToken(rest);
  if (MARKED.test(rest) || OUR_FENCE.test(rest)) return true;
  const [whole, space, name = "", gap] = NAMED.exec(rest) ?? [];
  if (whole === undefined) return false;
  const after = rest.slice(whole.length);
  // `sort < names.txt > sorted.txt` has no tag.
  const isFile = name.includes(".");
  if (space !== "") return /^\/?\s*>/.test(after) ? !isFile : gap !== "" && ATTRIBUTE.test(after);
  if (after === "") return !isFile && !(before === "<" && HERE_DOCUMENT.test(name));
  if (before === "<" && gap !== "" && HERE_DOCUMENT.test(name)) return /^\/?>/.test(after) || ATTRIBUTE.test(after);
  if (/\w/.test(before) && isTypeName(name) && !(gap !== "" && ATTRIBUTE.test(after))) return false;
  if (gap !== "")
    return (
      /^[/>=|<]/.test(after) ||
      ATTRIBUTE.test(after) ||
      (!isFile && /^[A-Za-z_:@{"'\u00c0-\u1fff\u2c00-\uffff]/.test(after))
    );
  return !/^(?:[;),&+*@\]}([.]|\/(?!\S*>))/.test(after) && !(/\w/.test(before) && GENERICS.test(rest));
}

/** True for `Promise<SearchResult>`, false for `<antThinking>`: tags of some clients are in camelCase. */
function isTypeName(name: string): boolean {
  return /^(?:[A-Z][a-z\d]+){2,}$/.test(name);
}

const ATTRIBUTE = /^[\w:@\u00c0-\u1fff\u2c00-\uffff-]+\s*=(?!=)/;
/** `cat <<EOF` */
const HERE_DOCUMENT = /^[A-Z_]{2,}$/;
/** Type arguments in code: `Array<string>`, `Map<K, V[]>`. */
const GENERICS =
  /^(?:(?:string|str|number|boolean|bool|int|float|double|char|void|any|unknown|never|object|null|undefined|bigint|[A-Z])(?:\[\])*(?:\s*[,|&]\s*|(?=>)))+>/;

const TOKEN =
  /^\s*(?:\/\s*[A-Za-z\u00c0-\u1fff\u2c00-\uffff][\w\u00c0-\u1fff\u2c00-\uffff-]*|[a-z]?[A-Z][A-Z_]{2,}|[Ii][Nn][Ss][Tt])\s*\]/;
/** Labels in logs and notes, which are harmless: `[warn]`, `[TODO]`. */
const LABEL =
  /^\s*(?:info|warn|warning|error|debug|trace|fatal|notice|todo|fixme|wip|note|done|fail|failed|pass|passed|skip|skipped)\s*\]/i;

/** `[INST]`, `[/INST]`, `[TOOL_CALLS]`. Not `[x]`, `[0]` or `[link](…)`. */
function isControlToken(rest: string): boolean {
  return TOKEN.test(rest) && !LABEL.test(rest);
}
