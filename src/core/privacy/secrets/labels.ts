// Finds labels of credentials ("password", "api_key", "contraseña"), alone or at the end of a longer name.
import { HARMLESS_KEY } from "./placeholders.ts";

/**
 * Which values are credentials. `password`: any value. `secret`: nearly any. `named`, an API token or key: a plain word
 * only if it is a literal. `token` and `key`: no plain words. `phrase`: a seed phrase.
 */
export type LabelKind = "password" | "secret" | "named" | "token" | "key" | "phrase";

export interface Label {
  kind: LabelKind;
  /** The whole name: `spring.datasource.password`. */
  name: string;
  start: number;
  end: number;
}

/** Words at the start of a label. hints.ts finds their places. */
export const LABEL_WORDS: readonly string[] = (
  "pass pw psk secret token key auth credential kennwort mdp contrase clave senha wachtwoord psw senord heslo ifre schl has\u0142o " +
  "parola phrase mnemonic ароль 密码 密碼 口令 密钥 令牌 ключ secrète segreta 暗証番号 パスワード 비밀번호"
).split(" ");

const PASSWORD =
  "pass(?:w(?:or)?d|wort|wrd|phrase|code|e)?|pwd?|psw|psk|senord|heslo|ifre|kennwort|mdp|contrase(?:ñ|n|ny)a|clave|senha|wachtwoord|has[łl]o|parola(?: d'ordine)?|" +
  "ароль|密码|密碼|口令|パスワード|暗証番号|비밀번호";
/** Suffixes that keep the meaning of a name: `password_prod`. */
const ADDITION =
  "(?:[_-]?(?:string|value|text|plain|raw|prod|production|staging|stage|dev|test|live|old|new|current|previous|backup|" +
  "primary|secondary|main|default|local|admin|root|user|b64|base64|confirm|confirmation|repeat|again))";
const LABEL = new RegExp(
  `(?:passw(?:or)?ds(?=["'])|${PASSWORD}|secret|token|auth(?:orization)?|credentials?|密钥|令牌|schl(?:ü|ue)ssel|ключ|secrète|segreta|key|phrase|mnemonic)(?:${ADDITION}{0,2}[_-]?\\d{0,3}(?![\\w]))?`,
  "iy",
);

/** Words before "key" or "token" in the name of a credential: `api_key`. */
const QUALIFIED =
  /(?:api|app|access|auth|bearer|refresh|session|bot|deploy|personal|service|admin|client|github|gitlab|slack|discord|telegram|npm|pypi|vault|jwt|oauth|sentry|webhook|upload|push|registry|root|hook|openai|anthropic|stripe|account|encryption|master|private|secret|shared|signing|storage|subscription|license|hmac|aes|zugangs|zugriffs|geheim|секретный|clé|chiave|w-?lan)[_ -]?$/i;
const QUALIFIED_CHARS = 14;

/** The label that ends with the word at this place; undefined if no value can follow it. */
export function labelAt(text: string, word: number): Label | undefined {
  LONGER_WORD.lastIndex = word;
  if (LONGER_WORD.test(text)) return undefined;
  LABEL.lastIndex = word;
  if (!LABEL.test(text)) return undefined;
  const end = LABEL.lastIndex;
  const next = text.charAt(end);
  if (!FOLLOWERS.has(next)) return undefined;
  // A quick check, because `key: value` is very common in code.
  if (/[:=]/.test(next) && isWeakWord(text, word, end) && !canAssign(text, word, end)) return undefined;
  const start = nameStart(text, word);
  // `AWS::IAM::AccessKey` is a type.
  if (text.startsWith("::", start - 2) && /[A-Z]/.test(text.charAt(start))) return undefined;
  if (!canFollow(text, word, start, end)) return undefined;
  if (text.startsWith("[redacted:", start - 10)) return undefined;
  const name = text.slice(start, end);
  // PWD is a password in a connection string, else the working directory.
  const isField = /^pwd$/i.test(name) && FIELD_NEAR.test(text.slice(Math.max(0, start - 120), end + 120));
  const kind = isField ? "password" : kindOf(name, text.slice(Math.max(0, word - 20), word), text.slice(word, end));
  return kind === undefined ? undefined : { kind, name, start, end };
}

/** Most words in ordinary text: `keyboard`, `token of`, `author`, `passed`. Not `masterauth` and `--key value`. */
const LONGER_WORD =
  /(?<![-_])(?:[Kk][Ee][Yy]|[Tt][Oo][Kk][Ee][Nn]) [a-z]|(?:[Kk][Ee][Yy]|[Tt][Oo][Kk][Ee][Nn])[a-z(./}]|(?<![Rr])[Aa][Uu][Tt][Hh](?![Oo])|[Pp][Aa][Ss][Ss](?![wpce])[a-z]/y;

const NAME_BEFORE = /(?<=([\w.$\u00c0-\u024f\u0400-\u04ff-]{0,60}))/y;

function nameStart(text: string, word: number): number {
  NAME_BEFORE.lastIndex = word;
  let start = word - (NAME_BEFORE.exec(text)?.[1]?.length ?? 0);
  // Skip `1m` of a colour code `\x1b[1m`, which looks like a part of the name.
  if (text.charAt(start - 1) === "[" && text.charAt(start - 2) === "\x1b") {
    start = Math.min(word, start + (/^[\d;]*m/.exec(text.slice(start, word))?.[0].length ?? 0));
  }
  // Skip the `n` of an escaped line break.
  if (start < word && text.charAt(start - 1) === "\\" && /[nrt]/.test(text.charAt(start))) start++;
  while (start < word && /[.-]/.test(text.charAt(start))) start++;
  return start;
}

/** Without "-", "." and letters: `password-reset`, `password.length` and `passwordField` are longer names. */
const FOLLOWERS = new Set(" \t\r\n\"'`*)]\\=:,;|<>&(\x1b\u00a0\u2002\u2003\u2009\u200b\u202f\u3000：＝｜│】」是为為は");
function isQualified(text: string, word: number): boolean {
  return QUALIFIED.test(text.slice(Math.max(0, word - QUALIFIED_CHARS), word));
}

/** True for key, token, authorization and credential, whose values are often plain words. */
function isWeakWord(text: string, word: number, end: number): boolean {
  return /^(?:key|token|cr|auth.)/i.test(text.slice(word, end));
}

/** Characters after the label that the patterns in key-value-rows.ts do not handle. */
// oxlint-disable-next-line no-control-regex
const DISGUISE = /[\x1b\u00a0\u2000-\u200f\u202f\u3000：＝\\&|]|^ {2}|^ *\n/;

/** A type or a name after a sign and a space: `privateKey: Uint8Array,`. */
const EXPRESSION = / (?![\da-f]{24,}|(?:[A-Za-z]*\d){6})[A-Za-z_$][\w$.<>[\]|]*(?=[,;()\s}]|$)/y;

/** True if the patterns in key-value-rows.ts would miss the assignment. */
function canAssign(text: string, word: number, end: number): boolean {
  const rest = text.slice(end, end + 8);
  if (/^[^]["']/.test(rest) || (rest.startsWith("=") && /^t/i.test(text.charAt(word)))) return true;
  if (/^[^ ][\n{]/.test(rest)) return true;
  if (!rest.startsWith(" ") && isQualified(text, word)) {
    EXPRESSION.lastIndex = end + 1;
    return !EXPRESSION.test(text);
  }
  return DISGUISE.test(rest);
}

/** False if no value can follow, judging by the next characters. This is the case for most labels. */
function canFollow(text: string, word: number, start: number, end: number): boolean {
  const rest = text.slice(end, end + 12);
  const isWeak = isWeakWord(text, word, end);
  const before = text.charAt(start - 1);
  const isOption = before === "-" || before === "/";
  switch (rest.charAt(0)) {
    case " ":
      if (/^(?:phrase|mnem)/i.test(text.slice(word, word + 6)) && !/^ [:=(]/.test(rest)) return false;
      return !isWeak || isOption || (/^ [=:|(-]/.test(rest) && isQualified(text, word)) || canAssign(text, word, end);
    case ";":
      return /^;\w/.test(rest) && /[;\n]|^$/.test(before);
    case "(":
      return !isWeak && /^.["'`*)\]]/.test(rest);
    case ")":
    case "]":
      // oxlint-disable-next-line no-control-regex
      return /^.(?:["'`*)\]:=\x1b]| [:=])|^\)\s{0,4}values/i.test(rest);
    case '"':
    case "'":
    case "`":
      return !isWeak || isOption || !/^. (?!conte|value)\w/.test(rest);
    case ",":
      if (rest.startsWith(",\n")) return false;
      return !isWeak || /["'`,;\t|\n]/.test(before) || /[A-Z]/.test(text.charAt(word - 1)) || !rest.startsWith(", ");
    case "\n":
    case "\r":
      if (isOption || !isWeak || isQualified(text, word)) return true;
      return /[,;\t|]/.test(before) || /[:=]/.test(text.charAt(start - 2));
    default:
      return true;
  }
}

const FIELD_NEAR = /\b(?:UID|DSN|Driver|Database|Server|User ?Id)[ \t]*=/i;
const SEGMENT_ONLY = /^(?:pw|psk|mdp|clave|pass|auth)$/i;
/** Other words that end like a label: `bypass`, `minipass`, `renderPass`. */
const OTHER_WORD =
  /(?:by|com|sur|over|under|tres|mini|encom|render|shader|depth|first|second|single|multi|two|one|low|high|band)[_-]?pass$|publickey$|public[_-]key$/i;
/** Names of messages and switches: `forgotPassword`, `password_hint`. */
const ABOUT =
  /(?:^|[._-])(?:forgot|reset|change|show|hide|toggle|invalid|wrong|no|missing|enter|lost|validate|check|has|is|needs?|requires?|min|max|weak|verify|existing|image[_-]?pull|label|hint|error|err|msg|message|title|type)(?:[._-]\w{0,20}|[A-Z]\w{0,20}|)$|^(?:existing|imagePull|tls|forgot|reset|show|hide|toggle|invalid|has|is|needs|require|label)[A-Z]/;

function kindOf(name: string, before: string, label: string): LabelKind | undefined {
  if (HARMLESS_KEY.test(name) || OTHER_WORD.test(name)) return undefined;
  const word = label.toLowerCase();
  const lead = name.slice(0, name.length - label.length);
  if (
    lead !== "" &&
    (ABOUT.test(name) || (/^[A-Z\d_]+$/.test(name) && ABOUT.test(name.toLowerCase()))) &&
    !/^requirepass$/i.test(name)
  )
    return undefined;
  if (/^(?:phrase|mnemonic)/.test(word))
    return /(?:seed|recovery|secret|backup)[ _-]?$|^$/i.test(word.startsWith("m") ? "" : before) ? "phrase" : undefined;
  if (word === "passe") return /(?:mots?[ _-]de[ _-]|palavra-)$/i.test(before) ? "password" : undefined;
  const isNamed = /^(?:key|token|密钥|令牌|schl|ключ|secrè|segr)/.test(word) && QUALIFIED.test(before);
  if (isNamed) return "named";
  if (/^(?:schl|ключ|secrè|segr)/.test(word)) return undefined;
  if (/^(?:key|密钥|令牌)/.test(word)) return lead === "" ? undefined : "key";
  // `SecretString` of AWS Secrets Manager is the secret itself.
  if (/^secret_?string$/.test(word)) return "password";
  if (word.startsWith("secret")) return "secret";
  if (/^(?:token|auth|credential)/.test(word))
    return word === "auth" && !/master[_-]?$/i.test(lead) ? undefined : word === "auth" ? "password" : "token";
  if (SEGMENT_ONLY.test(word) && !isSegment(lead, label)) return undefined;
  return "password";
}

/** True if the label is a separate part of the name: `db_pass`, `dbPass`, `bindpw`, `requirepass`. */
function isSegment(lead: string, label: string): boolean {
  if (lead === "" || /[^A-Za-z0-9À-ɏ]$/.test(lead)) return true;
  if (/^[A-Z][a-z]/.test(label)) return /[a-z0-9]$/.test(lead);
  return /(?:^|[_.-])(?:require|user|root|(?:src|dest|key|trust)?store|admin|bind|db|my|smtp|ftp|ssh|sudo|become|store|key|vnc|ldap|wpa|mail|sql|http|proxy|login|wifi|pg|master)$/i.test(
    lead,
  );
}
