// Recognises names of credentials, and values that are not credentials: words, variables, types, references.

export const STRONG =
  "passw(?:or)?d|passphrase|passcode|pwd|[_-]pass|secret|secret[_-]?key[_-]?base|" +
  "(?:api|access|account|auth|encryption|master|private|secret|shared|signing|storage|subscription)[_ -]?key";
const WEAK = "token|auth|authorization|credentials?";
export const WORDS = `${STRONG}|${WEAK}|_pat|key|pass`;
export const STRONG_KEY = new RegExp(`(?:${STRONG})[_-]?\\d{0,2}$|\\wpass$`, "i");
const SECRET_KEY = new RegExp(`(?:${STRONG}|${WEAK}|(?:^|[_-])pass|cookie)[_-]?\\d{0,2}$`, "i");
/** The shell's PWD, `bypass`, public keys, tokens of language models and of pagination. */
export const HARMLESS_KEY =
  /(?:^|\.)(?:OLD)?PWD$|(?:[Bb]y|[Cc]om|[Ss]ur)pass$|[Pp](?:ublic|UBLIC)[_-]?(?:[Kk]ey|KEY)$|(?:bos|eos|pad|unk|sep|cls|mask|stop|next|page|prev)_?[Tt]oken$/;

/** Keys that are often harmless, such as `primary_key`: their value must not be a name. */
export const AMBIGUOUS_KEY = /(?:key|_pat)[_-]?\d{0,2}$/i;
/** Keys whose value is a credential even if it is a plain word. */
export const PASSWORD_KEY = /(?:passw(?:or)?d|passphrase|passcode|[_-]pass|^pwd)$/i;
/** Words that describe a password. */
const PASSWORD_QUALITY = new RegExp(
  "^(?:wrong|invalid|incorrect|empty|missing|expired|correct|valid|weak|strong|short|long|same|different|unchanged|" +
    "required|optional|enabled|disabled|hidden|visible|plain|plaintext|cleartext|encrypted|hashed|hash|salted|bcrypt|" +
    "scrypt|argon|random|generated|default|stored|saved|reset|rotated|leaked|prompt|prompted|ask|input|stdin|basic|" +
    "field|value|varchar|char|bytea|bytes|inherit|skip|skipped|failed|passed|success|denied|allowed|accepted|" +
    "rejected|changed|updated|deprecated|unsupported|supported|ignored|ignore|never|always|only|still|also|already|" +
    "being|there|this|that|what|when|with|from|file|secret|vault|manager|keychain|keyring|environment|config|blank|" +
    "unset|available|unavailable|protected|locked|shown|redacted|removed|exposed|visible|sent|kept|masked|needed)$",
  "i",
);

const STOP_WORDS =
  "null|none|nil|undefined|true|false|yes|no|on|off|any|unknown|object|required|optional|string|str|text|number|int|" +
  "integer|bool|boolean|bytes?|password|passwd|pwd|secret|token|auth|api[-_]?key|n/a|\\w*array|" +
  "[~^<>=]*v?\\d+(?:\\.\\d+)+|0x[0-9a-f]{1,8}|#[0-9a-f]{3,8}|" +
  "(?:u?int|float|bytes|varchar|char|[uif]|utf-?|base|sha-?|md|hs|rs|es|oauth|ed|uuidv?)\\d{1,5}";
const STOP_STEMS =
  "(?:your|my|enter|insert|replace|example|placeholder|redacted|masked|hidden|change|dummy|fake|sample|todo|fill|put|mock|fixme)" +
  "(?:[-_ ].*|me|it|here|(?:api|access|password|secret|token|key).*)?";
const STOP_WORD = new RegExp(`^(?:${STOP_WORDS}|${STOP_STEMS})[!?;.]*$`, "i");
/** A value that repeats the label, as in translations and forms: `"password": "Passwort"`. */
const LABELS = String.raw`pass(?:w(?:or)?d|wort|phrase|code)s?|kennwort|pwd|mots? de passe|contrase[ñn]a|clave|senha|wachtwoord|lösenord|has[łl]o|heslo|parola|пароль|密码|密碼|口令|パスワード|비밀번호|salasana|adgangskode|kodeord|şifre|sifre|jelszó|лозинка|lozinka|mật khẩu|kata sandi|lösenord|geheimnis|secrète|segreta|secreta|暗証番号|secrets?|tokens?|zugriffsschlüssel|credentials?|api[-_ ]?keys?`;
export const LABEL_ITSELF = new RegExp(
  String.raw`^(?:\p{L}+[-_ .])?(?:${LABELS})(?:[-_ .](?:\p{L}+)){0,3}[:?!.*=]*$`,
  "iu",
);
const CHINESE_LABEL =
  /^[\u3040-\u30ff\u4e00-\u9fff]{0,6}(?:密码|密碼|口令|パスワード|令牌|密钥)[\u3040-\u30ff\u4e00-\u9fff]{0,4}$/;
/** A label anywhere in a text. */
export const LABEL_WITHIN = new RegExp(LABELS, "iu");
/** A label among a few words: "Your password:". */
const LABEL_WORDS = new RegExp(String.raw`^(?:\p{L}+ )?(?:${LABELS})(?: \p{L}+){0,3}[:?!.*=]*$`, "iu");

/** The key of a translation: "auth.password.label". */
const TRANSLATION = /^[a-z]+(?:[._-][a-zA-Z]+){0,6}\.[a-z]{0,20}(?:pass|secret|token)[a-zA-Z]*(?:[._-][a-zA-Z]+){0,6}$/;
/** Rules for a field: "required|min:8". */
const RULES = /\brequired\b|\bnullable\b|\|(?:min|max):\d/;
/** A sentence about the credential, as in labels and error messages. */
const MESSAGE = /\b(?:passwords?|must|enter|please|required|invalid|your|is|are|the|should|cannot|incorrect|wrong)\b/i;
/** Words that turn a passphrase into an instruction: "enter your password". */
export const INSTRUCTION = /\b(?:passwords?|must|enter|please|required|invalid|your|should|cannot|incorrect|wrong)\b/i;
/** A name or several words, but not base64. */
export const WORDS_ONLY = /\s|^[a-z_.]+$|^[A-Z_]+$|^[A-Z]?[a-z]+(?:[A-Z][a-z]+)*$/;

/** True if every value under this key is a credential. */
export function isSecretKey(key: string): boolean {
  // `@scope/auth` is a package.
  return (SECRET_KEY.test(key) || /[a-z]Pass$/.test(key)) && !HARMLESS_KEY.test(key) && !key.startsWith("@");
}

/** True for a lower-case word that does not describe a password. */
export function isPlainPassword(value: string): boolean {
  return /^[a-z]{5,40}$/.test(value) && !PASSWORD_QUALITY.test(value) && !isPlaceholder(value);
}

/** True for words and small numbers: `user_id2`, `users:list:v2`. */
export function isName(value: string): boolean {
  return value.split(/[_.:/-]/).every((part) => /^[A-Za-z]*\d{0,4}$/.test(part));
}

/** True for words, variables, types and references, which are not credentials. */
export function isPlaceholder(value: string, message = MESSAGE): boolean {
  return (
    isTemplate(value) ||
    STOP_WORD.test(value) ||
    LABEL_WORDS.test(value) ||
    CHINESE_LABEL.test(value) ||
    TRANSLATION.test(value) ||
    RULES.test(value) ||
    isPath(value) ||
    (/\s/.test(value) && message.test(value))
  );
}

export function isTemplate(value: string): boolean {
  return (
    /^(.)\1*$|\*{3}|x{4}|\.{3}|…|•|\$\{|\{\{|#\{|<%|%[sd]\b/i.test(value) ||
    /^(?:\$\(?[A-Za-z_]\w*|%\w+%?|%\(\w+\)s|<.*|\{.*\}|\[.*\]|\(.*\)|:[a-z_]\w*)$/i.test(value) ||
    value.startsWith("$(") ||
    /^(?:vault|secret|ssm|env|op|file|sops|ref\+\w+):/.test(value) ||
    /EXAMPLE(?:KEY)?$/.test(value) ||
    /^@\w+(?:\.\w+)*\(/.test(value)
  );
}

/** `rumpel/stilz/chen` may be a password; `config/keys/prod` and `a/b.pem` are paths. */
const RELATIVE = /^[\p{L}\d]+(?:\/[\p{L}\d]+){1,3}$/u;
const FOLDER =
  /(?:^|\/)(?:secrets?|kv|data|config|conf|etc|run|var|opt|home|usr|paths?|to|files?|prod|production|staging|dev|app|apps|vault|ssm|tmp|keys?|certs?|src|lib|test|tests|auth|api|users?|login|admin|db|database|docs|packages|plugins|application|text|image|bin|build|dist)(?:\/|$)/i;

function isPath(value: string): boolean {
  if (/^(?:[a-z][a-z0-9+.-]*:\/\/|arn:)/i.test(value)) return true;
  if (RELATIVE.test(value) && !FOLDER.test(value)) return false;
  if (!/^(?:(?:~|\.{1,2})?\/|[a-z]:\\|(?:[a-z][a-z0-9_.-]*\/){2})/i.test(value) || /[+=]/.test(value)) return false;
  return !value.split("/").some(isJumbled) && !hasBase64Slashes(value);
}

/** True for base64 with slashes, whose parts are not words. */
function hasBase64Slashes(value: string): boolean {
  return (
    /^[A-Za-z0-9/]{40,}$/.test(value) && /\d.*\d.*\d/.test(value) && /[A-Z]/.test(value) && !/[a-z]{7}/.test(value)
  );
}

/** True for a call or a property path, judging by the value and the next character. */
export function isCode(match: RegExpExecArray, value: string, isLoose = false): boolean {
  const next = match.input[match.index + match[0].length] ?? "";
  if (isLoose && (/^[!*#@]/.test(value) || next === "(" || next === "[")) return true;
  if (/^[A-Za-z_$][\w$.]*[([]/.test(value) && (/[([]$/.test(value) || /^[)\]"'`,]/.test(next))) return true;
  if (/^\w*(?:passw(?:or)?d|pwd|secret|token|key|auth)\d?$/i.test(value)) return true;
  return /^[A-Za-z_$][\w$]*(?:\??\.[A-Za-z_$][\w$]*)+;?$/.test(value) && !value.split(".").some(isJumbled);
}

/** True for letters and digits. */
export function isMixed(value: string): boolean {
  return /[A-Za-z]/.test(value) && /\d/.test(value);
}

/** True for a token of at least 16 characters with two letters and two digits. */
export function isRandom(value: string): boolean {
  return /^(?=.*[A-Za-z].*[A-Za-z])(?=.*\d.*\d)[\w+/=.~%:-]{16,}$/.test(value);
}

/** True for alternating digits and letters, false for a name with one number. */
export function isJumbled(value: string): boolean {
  return isRandom(value) && /\d\D+\d\D+\d/.test(value);
}
