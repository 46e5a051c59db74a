// Decides whether a value is a credential, or only a word, a type or an expression.
import type { Label, LabelKind } from "./labels.ts";
import { INSTRUCTION, isMixed, isName, isPlaceholder, isRandom, LABEL_ITSELF, LABEL_WITHIN } from "./placeholders.ts";
import type { Value } from "./value.ts";

/** Where the value was found, from certainly a literal to probably not one. */
export type Evidence =
  /** The rest of a line in a settings file, or an option's argument: never an expression. */
  | "setting"
  /** A quoted value, a whole line, an element's text, or a field of a connection string. */
  | "literal"
  /** Directly after a sign or an option, where code has no expression: `a=value`. */
  | "exact"
  /** A line that may be a setting, or a cell of a table. */
  | "argument"
  /** A word of a sentence. */
  | "prose";

const SCHEME = /^(?:bearer|basic|token|digest|bot|apikey)\s+/i;

/** `[value]`, without a scheme such as "Bearer ", if it is a credential; else `[]`. */
export function judge({ kind, name }: Label, value: Value, evidence: Evidence): Value[] {
  const scheme = SCHEME.exec(value.text)?.[0].length ?? 0;
  const rest = { ...value, start: value.start + scheme, text: value.text.slice(scheme) };
  const isPhrase = /phrase/i.test(name) && evidence === "literal" && /^[a-z]+(?:,? [a-z]+){2,}$/.test(rest.text);
  if (
    isPhrase &&
    !/\b(?:pass|enter|please|must|required?|the key|is)\b.*|passphrase/.test(rest.text.replace(/^\w+ is \w+ \w+$/, ""))
  )
    return [rest];
  // DB_PASSWORD = "several words" is a constant, not the label of a form.
  const isConstant = evidence === "literal" && /^[A-Z\d_]{4,}$/.test(name) && /\s/.test(rest.text);
  if (isConstant && isCredential("password", rest, "setting")) return [rest];
  return isCredential(kind, rest, evidence) ? [rest] : [];
}

/** Turns `[]` into undefined, so that the next finder runs. */
export function nonEmpty(values: Value[]): Value[] | undefined {
  return values.length === 0 ? undefined : values;
}

const LETTERS = String.raw`[\p{L}\p{M}]`;
const WORDY = new RegExp(`^${LETTERS}+(?:[-_.'’ ]${LETTERS}+)*[!.]?$`, "u");
const SINGLE = new RegExp(`^${LETTERS}+$`, "u");

/** Types, states and common words: never a password. */
const HARMLESS = new RegExp(
  "^(?:" +
    "strings?|str|char(?:field)?|varchar|text|textfield|number|int|integer|bool(?:ean)?|bytes?|buffer|bytea|uint\\w*|object|array|" +
    "any|unknown|never|void|option(?:al)?|maybe|field|column|null|none|nil|undefined|true|false|yes|no|on|off|ok|" +
    "sensitive|computed|default|required|optional|enabled|disabled|hidden|visible|plain(?:text)?|cleartext|encrypted|hash(?:ed)?|" +
    "salted|bcrypt|scrypt|argon\\w*|md5|sha\\w*|random|generated|stored|saved|reset|rotated|leaked|prompt(?:ed)?|ask|input|stdin|" +
    "basic|bearer|digest|negotiate|inherit|skip(?:ped)?|fail(?:ed|ure)?|pass(?:ed)?|success(?:ful)?|denied|allowed|accepted|rejected|changed|updated|" +
    "deprecated|(?:un)?supported|ignored?|always|only|still|also|already|being|this|that|what|when|with|from|file|vault|" +
    "manager|keychain|keyring|environment|env|config(?:uration)?|blank|empty|unset|set|(?:un)?available|protected|locked|shown|redacted|filtered|" +
    "removed|exposed|sent|kept|masked|needed|wrong|(?:in)?valid|(?:in)?correct|missing|expired?|weak|strong|short|long|same|" +
    "different|unchanged|identifier|punctuation|keyword|eof|comma|semicolon|value|literal|write|read|strict|lax|" +
    "to|is|are|was|be|and|or|for|flag|option|argument|parameter|in|the|an?|of|if|as|at|by|it|its|on|so|not|via|but|using|" +
    "takes?|accepts?|requires?|needs?|expects?|overrides?|specifies|conflicts?|cannot|given|provided|specified|found|does|has|have|can|must|should|will|may|would|could|instead|which|because|switch|here|there|then|" +
    "authentication|auth|login|policy|hint|label|page|form|screen|dialog|link|mail|email|rules?|length|strength|" +
    "recovery|change|update|expiry|expiration|rotation|verification|validation|confirmation|error|message|protection|" +
    "see|use|used|uses|your|my|our|their|his|her|new|old|current|first|second|next|last|one|two|both|all|each|every|" +
    "must|please|enter|type|placeholder|example|sample|dummy|foo|bar|baz|test|postgres|mysql|redis|rabbitmq|guest|minio|minioadmin|elastic|localhost|todo|tbd|tba|fixme|changeme|" +
    "pflicht\\w*|gesetzt|geändert|vergessen|abgelaufen|zurückgesetzt|obligatoire|obligatorio|erforderlich|ungültig|falsch|leer|jeton|opaque|generic|secretref|anonymous|public|private|" +
    "entry|count|usage|bucket|budget|limit|store|service|provider|handler|helper|utils?|module|model|schema|table" +
    ")[!?;:.,]*$",
  "i",
);
export function isCredential(kind: LabelKind, value: Value, evidence: Evidence): boolean {
  const { text, isQuoted } = value;
  if (text.includes("[redacted:")) return false;
  if (kind === "phrase") return /^["'`]?(?:[a-z]{3,8}[ ,]+){11,23}[a-z]{3,8}/.test(text);
  if (text.length < 3 || isHarmless(text)) return false;
  if (!isQuoted && isCodeLike(text, evidence)) return false;
  if (kind === "key" || kind === "token") return isTokenOrKey(kind, text, evidence);
  if (kind === "named") return isNamedCredential(value, evidence);
  if (/\s/.test(text))
    return (
      (evidence !== "argument" && (isQuoted || evidence === "setting") && isPhraseOfLine(text, kind)) ||
      (evidence !== "setting" && isPassphrase(text, kind))
    );
  if (WORDY.test(text)) return isWord(kind, value, evidence);
  if (evidence === "prose" && MEASURE.test(text)) return false;
  if (evidence === "prose")
    return isMixed(text) || /^\p{L}+\d+$/u.test(text) ? text.length >= 5 : isQuoted || hasInnerSymbol(text);
  return text.length >= 4 || isQuoted;
}

/** Words that describe a credential and contain a number: "SHA-256", "256-bit", "Argon2id-hashed". */
const MEASURE =
  /^(?:argon2|bcrypt|scrypt|sha-?\d|md5|base-?64|aes|rsa|utf-?8|pbkdf2|hmac|oauth|2fa|mfa|totp|http|ipv[46]|v?\d+[.-]|\d+-?(?:bit|byte|char|digit|day|hour|minute|second|month|year|st|nd|rd|th|x|ms|s|k|kb|mb)s?\b)/i;
/** Placeholders of build tools: `@db.password@`, `__PASSWORD__`, `##X##`. */
const FILLED_IN = /^(?:@[\w.]+@|__\w+__|##\w+##|\[\[.*\]\]|~\w+~|%%\w+%%)$/;

/** Messages: "Too short", "not set". */
const STATUS_PHRASE = /^(?:too|not|no|must|is|should|already|never) \p{L}+$/iu;

export function isHarmless(text: string): boolean {
  return (
    isPasswordPlaceholder(text) ||
    FILLED_IN.test(text) ||
    STATUS_PHRASE.test(text) ||
    HARMLESS.test(text) ||
    LABEL_ITSELF.test(text)
  );
}

/** Like `isPlaceholder`, but false for passwords that start with `$` or `<`, as variables do. */
function isPasswordPlaceholder(text: string): boolean {
  if (/^\$[^({]/.test(text)) return !isPasswordLikeVariable(text);
  if (/^<[^<>]+>[\w-]{3,}$/.test(text) || (/^\(\w{6,}\)$/.test(text) && isMixed(text))) return false;
  return isPlaceholder(text, INSTRUCTION);
}

/** True for `$ilverSpoon!` and `$$money$$`, which are not names of variables. */
function isPasswordLikeVariable(text: string): boolean {
  if (/^\$[a-z]+[A-Z][a-z]+$/.test(text))
    return !LABEL_INSIDE.test(text) && !/^\$(?:db|my|new|old|user|env)/.test(text);
  if (/^\$(?:[A-Za-z_]\w*|\d)(?:->|\[|\.|::|$)/.test(text))
    return /^\$[a-z]+[A-Z]\w*\d\w*$/.test(text) && /\d[a-z]/.test(text);
  return /^\$(?!env:|\{|\()\S{3,}/i.test(text);
}

const CODE =
  /^[\w$.:\]["'-]{1,80}\(|^[A-Za-z_$][\w$.]*\[|^&(?:mut|str|\W)|=>|&&|\|\||[=!]==?|\?\.|::|->|^[A-Z]\w*<|^[[{(]|[{([]$|^[*&]\w+$|^@[\w/.-]+$|^#(?:[0-9a-f]{3,8}|[\w-]+|\/.*)$|^![A-Za-z]+$|^\/\S*\/[gimsuy]*$|\+$|^[-+/*]|^[!-/:-@[-`{-~]+$/i;

/** True if the value looks like a call, an operator, a reference or a selector. */
function isCodeLike(text: string, evidence: Evidence): boolean {
  if (evidence !== "literal" && isDottedWords(text, evidence)) return false;
  if (evidence === "setting" && /^(?:@[\p{L}\d.]{5,}|#\p{Lu}\p{L}{4,}|(?:\p{Lu}\p{L}+\.)+\p{Lu}\p{L}+)$/u.test(text))
    return LABEL_INSIDE.test(text);
  if (/^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+;?$/.test(text)) {
    if (
      evidence === "exact" &&
      !/[a-z][A-Z]/.test(text) &&
      !ROOT.test(text.split(".")[0] ?? "") &&
      /^[A-Z][a-z]{2,}(?:\.[A-Z][a-z]{2,})+$/.test(text)
    )
      return false;
    const isTitled =
      (evidence === "argument" || evidence === "exact") &&
      /\d$/.test(text) &&
      /\.[A-Z]/.test(text) &&
      !ROOT.test(text.split(".")[0] ?? "");
    return !isOddPath(text) && !isTitled;
  }
  if (/\(\)$|^\w*(?:passw(?:or)?d|pwd|secret|token|key|auth)\d?$/i.test(text)) return true;
  // `get(key)` is a call, `kR3.tN8(wq)` is not: its name is random.
  const call = /^([\w.]+)\([\w.]*\)$/.exec(text)?.[1];
  if (
    call !== undefined &&
    (isOddPath(call) || (!call.includes(".") && !NATURAL_NUMBER.test(call) && /\d[A-Za-z]/.test(call)))
  )
    return false;
  if (/^\(\w{6,}\)$/.test(text) && isMixed(text)) return false;
  return (
    CODE.test(text) &&
    !/^!\p{Lu}\p{L}{4,}$|^\w+\(\w*\)\w+$|^@(?=[^/]*[A-Z\d])[\w]+-[\w-]+$|^[!@#&]\p{L}+[!@#&$%^*\d]/u.test(text)
  );
}

const ROOT =
  /^(?:process|this|self|config|cfg|conf|settings?|user|req|request|res|response|ctx|context|props|state|env|os|sys|opts?|options|data|var|local|module|secrets?|inputs?|params?|args?|form|body|values?|event|e|app|db|auth|account|client|session|payload|row|item|obj|object|result|node|token|tokens|key|keys|getpass|hashlib|crypto|bcrypt|faker|random|string|secrets|uuid|jwt|z|yup|joi|t|i18n|models|fields?|schema|types?|math|json|std|core|common|utils?|lib|api|github|steps|needs|runner|vault|aws\w*|google\w*|azurerm\w*|random_\w+|kubernetes\w*|each|count|path|terraform|credentials?|login|new|old|current|test|mock|fake\w*|default\w*)$/i;
const NATURAL_NUMBER =
  /^(?:(?:[a-z]{2,}|[A-Z][a-z]+|[A-Z]{2,})(?:_[a-z]+|_?[A-Z][a-z]+)*_?\d{1,2}|(?:s3|k8s|i18n|l10n|oauth2\w*|utf8|base64\w*|sha\d+|md5\w*|ec2|e2e|p12|x509|v\d+|h\d|u\d+|b64\w*|http2))$/;

/** True for values with dots that are not property paths: `ab1.Cd2efGh`, `Paris.Texas1984`. */
function isOddPath(text: string): boolean {
  const parts = text.replace(/;$/, "").split(/\??\./);
  if (ROOT.test(parts[0] ?? "")) return false;
  return parts.some((part) => /\d/.test(part) && (!NATURAL_NUMBER.test(part) || /\d{4}$/.test(part)));
}

/** True for `tulip.garden.gate`: words with dots between them that are not a property path. */
function isDottedWords(text: string, evidence: Evidence): boolean {
  const parts = text.replace(/[!?;]$/, "").split(".");
  if (parts.length < 2 || LABEL_INSIDE.test(text)) return false;
  // Code may have expressions here, so two words need a capital or a sign at the end.
  const isSure = evidence === "setting" || evidence === "exact" || parts.length > 2 || /^\p{Lu}|[!?]$/u.test(text);
  if (!isSure) return false;
  return (
    !ROOT.test(parts[0] ?? "") &&
    !FILE_END.test(text) &&
    parts.every((part) => /^(?:\p{Lu}?[\p{Ll}\p{M}]+\d{0,4}|\d+)$/u.test(part)) &&
    (parts[0] ?? "").length > 2
  );
}

const FILE_END =
  /\.(?:txt|json|ya?ml|env|pem|key|crt|cer|p12|pfx|jks|conf|cfg|ini|toml|ts|tsx|js|jsx|py|rb|go|rs|java|kt|cs|php|md|html?|xml|sh|sql|log|gpg|enc|com|org|net|io|dev|local|value|name|id|length)$/i;

/** True for signs between letters or at the end: `Fenster!Bank`. */
export function hasInnerSymbol(text: string): boolean {
  return /[\p{L}\d][!@#$%^&*~+=?][\p{L}\d]|[\p{L}][!#$%^*~]+$/u.test(text);
}

function isTokenOrKey(kind: LabelKind, text: string, evidence: Evidence): boolean {
  if (isRandom(text)) return kind === "token" || !isName(text);
  if (evidence === "prose") return false;
  if (kind === "token" && evidence === "exact" && /^[a-z]+(?:-[a-z]+){2,}$/.test(text)) return !LABEL_INSIDE.test(text);
  return text.length >= 8 && isMixed(text) && !isName(text);
}

/** For an API token or key. A plain word must be a literal, or it is probably a state or a type. */
function isNamedCredential(value: Value, evidence: Evidence): boolean {
  const { text, isQuoted } = value;
  if (/\s/.test(text)) return text.length >= 20 && isMixed(text) && (text.match(/[^\w\s]/g)?.length ?? 0) >= 5;
  if (!WORDY.test(text)) return text.length >= 5 && (evidence !== "prose" || isRandom(text));
  if (ALGORITHM.test(text) || (evidence === "prose" && !isQuoted)) return false;
  return (
    text.length >= 6 && (isQuoted || evidence === "exact" || text.includes("-")) && isWord("secret", value, evidence)
  );
}

const ALGORITHM = /^(?:rsa|dsa|ecdsa|ed\d+|aes\w*|hmac|jwt|header|cookie|query|body|bearer|apikey)$/i;

function isWord(kind: LabelKind, { text, isQuoted }: Value, evidence: Evidence): boolean {
  const bare = text.replace(/[!.]$/, "");
  if (
    text.length < 4 ||
    (bare.includes(".") && /^[a-z]+(?:\.[a-z_]+)+$/i.test(bare) && !isQuoted && !isDottedWords(bare, evidence))
  ) {
    return false;
  }
  // `password-input`, `user_password` name a field; `not-set`, `no-change` describe a value.
  const parts = bare.split(/[-_.' ]/);
  if (
    parts.length > 1 &&
    (parts.some((part) => LABEL_ITSELF.test(part)) ||
      (parts.length === 2 && /^\p{Ll}/u.test(bare) && HARMLESS.test(parts[0] as string)))
  )
    return false;
  if (LABEL_INSIDE.test(bare) && !isQuoted) return false;
  if (kind === "secret") return isQuoted || evidence !== "prose";
  if (evidence !== "prose") return true;
  if (isQuoted) return true;
  if (SINGLE.test(bare)) return /^\p{Lu}\p{Ll}{5,}$/u.test(bare) && !QUALITY.test(bare);
  if (MEASURE.test(bare)) return false;
  return parts.length > 2 || /\p{Lu}/u.test(bare);
}

/** True for words that describe a password: "configured", "readable". */
export function isQuality(text: string): boolean {
  return QUALITY.test(text.replace(/[!.,;]$/, ""));
}

/** Endings of words that describe a password: "temporary", "generated", "readable". */
const QUALITY = /(?:ed|ing|ly|able|ible|al|ive|ous|ful|less|ent|ant|ic|ary|ory|ish|ung|lich|bar|ig)$/i;

const LABEL_INSIDE =
  /[Pp][Aa][Ss][Ss][Ww]|[Pp]assphrase|[Ss]ecret|SECRET|[Tt]oken|TOKEN|[a-z]Pass$|[Pp]wd|PWD|^(?:hashed|encrypted|new|old|raw|plain)[A-Z_]|[Cc]redential/;

const SENTENCE =
  /\b(?:the|a|an|is|are|was|must|should|cannot|can|not|your|please|enter|required?|invalid|wrong|and|or|for|to|of|with|at|least|than|too|characters|letters|digits?|bytes|new|confirm|forgot|oublié|vergessen|olvidaste|ist|und|oder|nicht|bitte|neues|zu|le|la|les|une?|pas|des|el|los|una|de|du|por|see|value|type|if|when|this|that|from|in|on|by|it|be|no|same|as)\b/gi;

/** A command after the value: `PGPASSWORD=x psql app`. */
const COMMAND =
  /\s(?:-|psql|pg_\w+|mysql\w*|npm|npx|node|python3?|make|docker|kubectl|helm|terraform|git|go|cargo|bash|sh|curl|sudo|ansible\S*|redis-cli|mongo\w*)(?=\s|$)/;
/** Words and signs of a setting's description in documentation. */
const DESCRIPTION =
  /[.:?)]$|[:;{}()=<>[\]|`]|\b(?:use|used|uses|your|must|should|enter|please|required|optional|default|string|generated|set|not|see|from|if|when|for|to|via|with|and|or|min|max|minimum|maximum|chars?|characters|digits?|letters|bytes|length|mindestens|zeichen)\b/i;

/** True if several words in a settings line are probably a password. */
function isPhraseOfLine(text: string, kind: LabelKind): boolean {
  const words = text.split(/\s+/);
  if (
    kind !== "password" ||
    words.length > 6 ||
    DESCRIPTION.test(text) ||
    COMMAND.test(text) ||
    LABEL_WITHIN.test(text)
  )
    return false;
  if (!words.slice(1).every((word) => /^[\p{L}\d&'’]/u.test(word))) return false;
  return words.some((word) => word.length > 3 && !HARMLESS.test(word));
}

/** True for several words that do not read like a sentence. */
function isPassphrase(text: string, kind: LabelKind): boolean {
  if (/[:;{}()=<>[\]|]/.test(text) || text.length > 80) return false;
  const words = text.split(/\s+/);
  const sentenceWords = text.match(SENTENCE)?.length ?? 0;
  if (/\d/.test(text) && words.length <= 4 && sentenceWords === 0) return true;
  if (/^\p{Lu}/u.test(text))
    return (
      words.length === 2 &&
      sentenceWords === 0 &&
      words.every((word) => /^\p{Lu}/u.test(word)) &&
      !words.some((word) => HARMLESS.test(word) || LABEL_ITSELF.test(word))
    );
  if (words.some((word) => LABEL_ITSELF.test(word))) return false;
  return (
    words.length >= (kind === "secret" ? 3 : 2) &&
    sentenceWords <= (words.length >= 4 ? 1 : 0) &&
    /^[\p{L}\p{M}\s'&,.!-]+$/u.test(text) &&
    !words.every((word) => HARMLESS.test(word))
  );
}
