// Patterns for values whose key makes them credentials: `key = value`, a flag and its value, words in a sentence.
import { lazy, type Secret } from "./secret.ts";
import { isHarmless } from "./judge.ts";
import {
  AMBIGUOUS_KEY,
  HARMLESS_KEY,
  isCode,
  isJumbled,
  isMixed,
  isName,
  isPlaceholder,
  isPlainPassword,
  isRandom,
  PASSWORD_KEY,
  STRONG,
  STRONG_KEY,
  WORDS,
  WORDS_ONLY,
} from "./placeholders.ts";

const EDGE = String.raw`\\{0,7}["'\x60*\])]{0,3}`;
const NAMED = String.raw`(?:,?\s{0,40}["'\\]{0,4}value["'\\]{0,4})?`;
const TYPED = String.raw`:[ \t]?[\w&<>|.\[\]]{1,30}[ \t]{0,8}=`;
const KEY = String.raw`([\w$.-]{0,60}(?:${WORDS})[_-]?\d{0,2})${EDGE}${NAMED}(?:${TYPED}|[ \t]{0,8}[!+?|]{0,2}[=:])`;
const SCHEME = String.raw`(?:(?:bearer|basic|token|digest|bot|apikey)[ \t]+)?`;
const QUOTED = String.raw`(\\{0,7}(?:"""|'''|["'\x60]))${SCHEME}(?!\2|[\s),;\]}+])([^\r\n]{0,300}?[^\\\r\n])(?=\2)`;
const TIGHT = String.raw`(?<=[^\s=]=)(?![([{$])((?:[^\s"'\x60\\;&|<>,)]|\\(?![nrt"'\\])){3,300})`;
const LOOSE = String.raw`(?:\\{0,7}["'\x60](?=\w))?${SCHEME}((?!:)[^\s"'\x60\\;&|<>,(){}\[\]]{3,300})`;
/** `key = value` in any notation. Starts at the rare `=` or `:` and looks back for the key: much faster. */
const ASSIGNED = lazy(
  String.raw`[=:](?<=${KEY})[=>]{0,2}[ \t]{0,20}\*{0,2}[ \t]?(?:${QUOTED}|${TIGHT}|${LOOSE})`,
  "giy",
);
/** `--password value`, "the password is value". */
const ADJACENT = lazy(
  String.raw`(${STRONG}|token|credentials?)["'\x60*)\]|]{0,3}[ \t]+` +
    String.raw`(?:(?:(is|was|are|of|for|to|the|value|set)|[|-]{1,3})[ \t]+){0,3}` +
    String.raw`(["'\x60*(|]{0,3})([^\s"'\x60\\;&|<>,(){}\[\]]{4,300})`,
  "giy",
);

export const ASSIGNMENTS: readonly Secret[] = [
  {
    name: "credential",
    hints: ["</"],
    pattern: lazy(String.raw`<([\w:.-]{0,40}(?:${WORDS}))(?:[ \t][^<>]{0,100})?>([^<>\s]{3,2000})(?=<\/)`, "gi"),
    sample: "<password>s3cr3t-Passw0rd</password>",
    accept: ([, key = ""], value) => {
      if (isPlaceholder(value)) return false;
      if (PASSWORD_KEY.test(key) && isPlainPassword(value)) return true;
      return STRONG_KEY.test(key) || !AMBIGUOUS_KEY.test(key) ? isMixed(value) : isKeyValue(key, value);
    },
  },
  {
    name: "credential",
    pattern: ADJACENT,
    starts: adjacentStarts,
    sample: "mysql --password s3cr3t-Passw0rd app",
    accept: isAdjacentSecret,
    nests: true,
  },
  {
    name: "credential",
    pattern: ASSIGNED,
    starts: assignedStarts,
    sample: "DB_PASSWORD=s3cr3t-Passw0rd",
    accept: isAssignedSecret,
    nests: true,
  },
];

/** Matches from a word of the key to the `=` or `:` after it. */
const TO_SIGN = new RegExp(
  String.raw`(?:pass(?:w(?:or)?d|phrase|code)?|secret(?:[_-]?key[_-]?base)?|auth(?:orization)?|credentials?|pwd|token|key|_pat)[_-]?\d{0,2}` +
    String.raw`\\{0,7}["'\x60*\])]{0,3}(?:,?\s{0,40}["'\\]{0,4}value["'\\]{0,4})?[ \t]{0,8}[!+?|]{0,2}[=:]`,
  "iy",
);
const TO_TYPED_SIGN = /:[ \t]?[\w&<>|.[\]]{1,30}[ \t]{0,8}=/y;

/** The places of `=` or `:` at which ASSIGNED may match. */
function assignedStarts(text: string, word: number): number[] {
  TO_SIGN.lastIndex = word;
  if (!TO_SIGN.test(text)) return [];
  const sign = (TO_TYPED_SIGN.lastIndex = TO_SIGN.lastIndex - 1);
  return TO_TYPED_SIGN.test(text) ? [sign, TO_TYPED_SIGN.lastIndex - 1] : [sign];
}

/** True if the key is the name in an earlier `[redacted:credential]`. */
function isMark(text: string, keyAt: number): boolean {
  return text.startsWith("[redacted:", keyAt - 10);
}

function isAssignedSecret(match: RegExpExecArray, value: string): boolean {
  const [, key = "", , quoted, tight] = match;
  if (isMark(match.input, match.input.lastIndexOf(key, match.index))) return false;
  if (HARMLESS_KEY.test(key) || isPlaceholder(value) || isPartOfName(match, key)) return false;
  // `password !== confirm` is a comparison.
  const isCompared = match[0].startsWith("==") || match.input[match.index - 1] === "!";
  if (quoted === undefined && (isCompared || isCode(match, value, tight === undefined))) return false;
  if (!STRONG_KEY.test(key) && AMBIGUOUS_KEY.test(key)) return isKeyValue(key, value);
  if (isRandom(value)) return true;
  if (/authorization$/i.test(key)) return value.length >= 8 && !WORDS_ONLY.test(value);
  // "blue-500" is a design token.
  if (/^[a-z]+(?:-[a-z]+)*-\d{1,4}$/.test(value)) return false;
  if (!STRONG_KEY.test(key)) return value.length >= (/token/i.test(key) ? 6 : 8) && isMixed(value);
  if (quoted !== undefined) return value.length >= 3 && !isHarmless(value);
  if (tight !== undefined && /^[A-Z0-9_]+$/.test(key)) return value.length >= 4;
  if (PASSWORD_KEY.test(key) && isLine(match, value, key) && isPlainPassword(value)) return true;
  return (
    value.length >= 4 &&
    (isMixed(value) || (/^\d+$/.test(value) && PASSWORD_KEY.test(key)) || /^\w.*[@#$%^*~!?+]\w/.test(value))
  );
}

/** Stricter for keys that are often harmless: `primary_key`, `fooKey`, `monkey`. */
function isKeyValue(key: string, value: string): boolean {
  if (/_(?:key|pat)[_-]?\d{0,2}$/i.test(key)) return value.length >= 8 && isMixed(value) && !isName(value);
  return value.length >= 20 && isJumbled(value) && /[a-z]/.test(value) && /[A-Z]/.test(value);
}

const MARGIN_CHARS = 40;

/** True if the key and its value are alone on their line, as in a settings file. */
function isLine(match: RegExpExecArray, value: string, key: string): boolean {
  const { input, index } = match;
  const end = index + match[0].length;
  const keyAt = input.lastIndexOf(key, index);
  const near = input.slice(Math.max(0, keyAt - MARGIN_CHARS), keyAt);
  const before = near.slice(near.lastIndexOf("\n") + 1);
  return (
    /^[\s\d→:|>#*+"'-]*$/.test(before) &&
    /^(?:\s*(?:\n|$)|[ \t]+#)/.test(input.slice(end, end + MARGIN_CHARS)) &&
    value !== ""
  );
}

/** True for `arn:aws:secretsmanager:…:secret:name`, which is the name of a secret. */
function isPartOfName(match: RegExpExecArray, key: string): boolean {
  return match[0].startsWith(":") && match.input[match.input.lastIndexOf(key, match.index) - 1] === ":";
}

const BEFORE_KEY =
  /(?<=(api|access|account|auth|encryption|master|private|secret|shared|signing|storage|subscription)([_ -]?))key/iy;

/** The places at which ADJACENT may match. */
function adjacentStarts(text: string, word: number): number[] {
  switch (text.charCodeAt(word) | 0x20) {
    case 0x61: // "auth" alone is not in ADJACENT
      return [];
    case 0x6b: {
      BEFORE_KEY.lastIndex = word;
      const [, kind, gap = ""] = BEFORE_KEY.exec(text) ?? [];
      return kind === undefined ? [] : [word - kind.length - gap.length];
    }
    case 0x70: // pass, pwd
      return /[_-]/.test(text.charAt(word - 1)) ? [word - 1, word] : [word];
    default:
      return [word];
  }
}

function isAdjacentSecret(match: RegExpExecArray, value: string): boolean {
  const [, word = "", verb, quote = ""] = match;
  if (/\[redacted:[a-z0-9-]{0,40}$/.test(match.input.slice(Math.max(0, match.index - 50), match.index))) return false;
  // Rejects most prose before the slower checks.
  if (quote === "" && !isMixed(value)) return false;
  if (isPlaceholder(value) || value.startsWith("-") || isCode(match, value)) return false;
  const isFlag = /(?:^|[\s"'`([,])--[\w-]*$/.test(match.input.slice(Math.max(0, match.index - 40), match.index));
  if (isFlag) return quote !== "" || isMixed(value);
  if (isRandom(value)) return true;
  if (verb === "is" && PASSWORD_KEY.test(word) && /["'`]/.test(quote) && isPlainPassword(value)) return true;
  return isMixed(value) && STRONG_KEY.test(word) && (/["'`]/.test(quote) || (verb !== undefined && value.length >= 6));
}
