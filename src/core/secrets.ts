// What credentials look like: one table, each row tested by its own sample.
import {
  HARMLESS_KEY,
  isCode,
  isMixed,
  isPlaceholder,
  isRandom,
  isTemplate,
  STRONG,
  STRONG_KEY,
  WORDS,
  WORDS_ONLY,
} from "./secret-words.ts";

export interface Secret {
  name: string;
  /** A text with none of these cannot match. Without hints the pattern always runs. */
  hints?: readonly string[];
  /** A text without a word such as "password" or "key" cannot match. */
  worded?: true;
  /** Where a match can begin, given the place of such a word; without it, anywhere. */
  starts?: (text: string, word: number) => number[];
  /** A text without two dots six letters apart cannot match. */
  dotted?: true;
  /**
   * Global. The last group that took part ends the match and is what gets replaced; without groups it is the match. A
   * group named `lead` is a part of the secret that a lookbehind found before the match.
   */
  pattern: () => RegExp;
  sample: string;
  /** A second look at what the pattern found. */
  accept?: (match: RegExpExecArray, value: string) => boolean;
  /** What was not accepted may hold another: the search goes on within it. */
  nests?: true;
}

// Samples are put together here so that no secret scanner takes this file for a leak.
const ALNUM = "h7Kq2Vw9Xb4Nc8Zt3Ry6Mf5Lp1Gj0DsaT7uEoQiUyB2nWxC4vZkHd9JrSmPgFl3A8tYbKeXq5RwN6cV";
const HEX = "3f9a1c7be04d5826a1f0c39b7e5d8402bc6a91fe37d05c84e2b9a6710fd3c58b";
const KEY_LINE = `MII${ALNUM.slice(0, 61)}`;
const alnum = (length: number) => ALNUM.slice(0, length);
const hex = (length: number) => HEX.slice(0, length);

const LINE_END = String.raw`(?:\d{1,6}[→:|\t]|\s|\\{1,4}[nr]|["',>|])`;
const PEM_LABEL = "[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----";

export const SECRETS: readonly Secret[] = [
  {
    // Closed, or to the end of the text. A mention in code or prose has nothing like a key behind it.
    name: "private-key",
    hints: ["-----BEGIN "],
    pattern: once(
      () =>
        new RegExp(
          String.raw`-----BEGIN ${PEM_LABEL}(?=[^]{0,160}?(?:[A-Za-z0-9+/]{20}|-----END )|[\w+/=\s\\]{0,160}$)(?:[^]*?-----END ${PEM_LABEL}|[^]*)`,
          "g",
        ),
    ),
    sample: `-----BEGIN RSA ${"PRIVATE"} KEY-----\n${KEY_LINE}\n${KEY_LINE}\n-----END RSA PRIVATE KEY-----`,
  },
  {
    // The end of a key whose beginning was cut off: the lines before it, with what a listing or JSON puts between them.
    name: "private-key",
    hints: ["-----END "],
    pattern: once(
      () =>
        new RegExp(
          String.raw`-----END ${PEM_LABEL}(?<=(?<lead>(?:(?<!\\)[A-Za-z0-9+/=]{20,}${LINE_END}+)*` +
            String.raw`(?<!\\)[A-Za-z0-9+/=]{0,100}${LINE_END}*)-----END ${PEM_LABEL})`,
          "g",
        ),
    ),
    sample: `${KEY_LINE}\n${KEY_LINE}\n-----END OPENSSH ${"PRIVATE"} KEY-----`,
    accept: (match) => /\S{16}/.test(match.groups?.["lead"] ?? ""),
  },
  {
    name: "putty-key",
    hints: ["Private-Lines:"],
    pattern: () =>
      /Private-Lines: \d{1,5}(?:\s|\\[nr])+((?:[A-Za-z0-9+/=]{20,}(?:\s|\\[nr]){1,2})+(?:[A-Za-z0-9+/=]{1,64}(?![\w+/=:-]))?)/g,
    sample: `Private-Lines: 2\n${KEY_LINE}\n`,
  },
  row(
    "age-key",
    ["AGE-SECRET-KEY-1"],
    () => /AGE-SECRET-KEY-1[A-Z0-9]{20,}/g,
    `AGE-SECRET-KEY-1${hex(58).toUpperCase()}`,
  ),

  row("aws-key-id", ["AKIA", "ASIA"], () => /A[KS]IA[A-Z0-9]{16}/g, `AKIA${hex(16).toUpperCase()}`),
  row(
    "aws-secret-key",
    ["ecret", "ECRET"],
    () =>
      /secret[_ -]?access[_ -]?key(?: \[[^\]\n]{0,40}\])?["'\\]{0,5}\s{0,4}[=:]{1,2}>?\s{0,4}["'\\]{0,5}([\w/+=]{40,})/gi,
    `aws_secret_access_key = ${alnum(38)}/+`,
  ),
  row("gcp-api-key", ["AIza"], () => /AIza[\w-]{35,}/g, `AIza${alnum(35)}`),
  row("google-oauth", ["ya29.", "GOCSPX-", "1//0"], () => /(?:ya29\.|GOCSPX-|1\/\/0)[\w-]{20,}/g, `ya29.${alnum(40)}`),
  row(
    "azure-key",
    ["AccountKey=", "SharedAccessKey="],
    () => /(?:AccountKey|SharedAccessKey)=([\w+/=-]{20,})/g,
    `AccountName=x;AccountKey=${alnum(80)}==`,
  ),
  row("azure-signature", ["sig="], () => /[?&;]sig=([\w%+/=-]{20,})/g, `?sv=2024-01-01&sig=${alnum(43)}%3D`),
  row("azure-client-secret", ["Q~"], () => /[\w~.]{3}\dQ~[\w~.-]{31,}/g, `abc8Q~${alnum(34)}`),
  row("digitalocean", ["_v1_"], () => /do[opr]_v1_[0-9a-f]{40,}/g, `dop_v1_${hex(64)}`),
  row("heroku", ["HRKU-"], () => /HRKU-[\w-]{30,}/g, `HRKU-AA${alnum(58)}`),
  row(
    "heroku",
    ["eroku", "EROKU"],
    () => /heroku[^\n]{0,40}?([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})/gi,
    `HEROKU_KEY=${hex(8)}-1111-4222-8333-${hex(12)}`,
  ),
  row("fly", ["fo1_", "fm1", "fm2_"], () => /(?:fo1_|fm1[ar]?_|fm2_)[\w+/=,-]{20,}/g, `FlyV1 fm2_${alnum(60)}`),
  row("vault", ["hvs.", "hvb."], () => /hv[sb]\.[\w-]{20,}/g, `hvs.${alnum(24)}`),
  row(
    "terraform",
    [".atlasv1."],
    () => /\.atlasv1\.(?<=(?<lead>[A-Za-z0-9]{14})\.atlasv1\.)[\w-]{40,}/g,
    `${alnum(14)}.atlasv1.${alnum(67)}`,
  ),
  row("doppler", ["dp."], () => /dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.-]{30,}/g, `dp.pt.${alnum(43)}`),
  row("databricks", ["dapi"], () => /dapi[0-9a-f]{32}(?:-\d)?/g, `dapi${hex(32)}`),

  row("github", ["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], () => /gh[pousr]_[A-Za-z0-9]{36,}/g, `ghp_${alnum(36)}`),
  row("github", ["github_pat_"], () => /github_pat_\w{22,}/g, `github_pat_${alnum(22)}_${alnum(59)}`),
  row(
    "gitlab",
    ["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-"],
    () => /gl(?:pat|dt|rt|cbt|ptt|ft|soat)-[\w.-]{20,}/g,
    `glpat-${alnum(20)}`,
  ),
  row("atlassian", ["ATBB", "ATATT3", "ATCTT3"], () => /(?:ATBB|ATATT3|ATCTT3)[\w=-]{24,}/g, `ATBB${alnum(32)}`),
  row("npm", ["npm_"], () => /npm_[A-Za-z0-9]{36,}/g, `npm_${alnum(36)}`),
  {
    name: "npm",
    hints: ["_auth"],
    pattern: () => /(?<!\w)_auth(?:Token)?["'\\]{0,4}[ \t]*[=:][ \t]*["'\\]{0,4}([^\s"'\\,;]{8,})/g,
    sample: `//npm.example.com/:_authToken=${hex(32)}`,
    accept: (_, value) => !isPlaceholder(value),
  },
  row("pypi", ["pypi-"], () => /pypi-[\w-]{32,}/g, `pypi-AgEIcHlwaS5vcmc${alnum(70)}`),
  row("rubygems", ["rubygems_"], () => /rubygems_[0-9a-f]{40,}/g, `rubygems_${hex(48)}`),
  row("docker", ["dckr_"], () => /dckr_(?:pat|oat)_[\w-]{20,}/g, `dckr_pat_${alnum(27)}`),

  row("anthropic", ["sk-"], () => /sk-ant-[\w-]{20,}/g, `sk-ant-api03-${alnum(80)}`),
  {
    name: "openai",
    hints: ["sk-"],
    pattern: () => /sk-[\w-]{20,}/g,
    sample: `sk-proj-${alnum(48)}`,
    accept: (_, value) => /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)|[a-z0-9]{32}/.test(value),
  },
  row("groq", ["gsk_"], () => /gsk_[A-Za-z0-9]{40,}/g, `gsk_${alnum(52)}`),
  row("perplexity", ["pplx-"], () => /pplx-[A-Za-z0-9]{40,}/g, `pplx-${alnum(48)}`),
  row("xai", ["xai-"], () => /xai-[A-Za-z0-9]{40,}/g, `xai-${alnum(80)}`),
  row("replicate", ["r8_"], () => /r8_[A-Za-z0-9]{30,}/g, `r8_${alnum(37)}`),
  row("huggingface", ["hf_", "api_org_"], () => /(?:hf_|api_org_)[A-Za-z0-9]{30,}/g, `hf_${alnum(34)}`),

  row("slack", ["xox"], () => /xox[a-z](?:\.xox[a-z])?-[\w-]{10,}/g, `xoxb-123456789012-${alnum(24)}`),
  row("slack", ["xapp-"], () => /xapp-\d-[\w-]{20,}/g, `xapp-1-A0123456789-1234567890123-${hex(64)}`),
  row(
    "slack-webhook",
    ["hooks.slack"],
    () => /hooks\.slack(?:-gov)?\.com\/(?:services|workflows|triggers)\/([\w/+-]{20,})/g,
    `https://hooks.slack.com/services/T01234567/B01234567/${alnum(24)}`,
  ),
  row(
    "discord-webhook",
    ["/api/webhooks/"],
    () => /\/api\/webhooks\/(\d{10,20}\/[\w-]{30,})/g,
    `https://discord.com/api/webhooks/123456789012345678/${alnum(68)}`,
  ),
  {
    name: "discord",
    dotted: true,
    pattern: () => /\.(?=[\w-]{6}\.)(?<=(?<lead>[MNO][\w-]{23,27})\.)[\w-]{6}\.[\w-]{27,}/g,
    sample: `MT${alnum(24)}.G${alnum(5)}.${alnum(38)}`,
  },
  row("telegram", [":AA"], () => /\d{6,12}:AA[\w-]{32,}/g, `123456789:AA${alnum(33)}`),
  row("stripe", ["k_live_", "k_test_"], () => /[sr]k_(?:live|test)_[A-Za-z0-9]{16,}/g, `sk_live_${alnum(24)}`),
  row("stripe-webhook", ["whsec_"], () => /whsec_[\w+/=-]{24,}/g, `whsec_${alnum(32)}`),
  row("twilio", ["SK"], () => /SK[0-9a-f]{32}/g, `SK${hex(32)}`),
  row("sendgrid", ["SG."], () => /SG\.[\w-]{16,32}\.[\w-]{32,}/g, `SG.${alnum(22)}.${alnum(43)}`),
  row("mailgun", ["key-"], () => /key-[0-9a-f]{32}/g, `key-${hex(32)}`),
  row("shopify", ["shp"], () => /shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}/g, `shpat_${hex(32)}`),
  row("linear", ["lin_"], () => /lin_(?:api|oauth)_[A-Za-z0-9]{30,}/g, `lin_api_${alnum(40)}`),
  row("notion", ["ntn_", "secret_"], () => /(?:ntn|secret)_[A-Za-z0-9]{40,}/g, `ntn_${alnum(46)}`),
  row(
    "api-key",
    ["sntry", "glsa_", "NRAK-", "PMAK-", "figd_", "sbp_", "pscale_", "tskey-", "nfp_", "nvapi-", "lsv2_", "tvly-"],
    () => /(?:sntry[su]_|glsa_|NRAK-|PMAK-|figd_|sbp_|pscale_|tskey-|nfp_|nvapi-|lsv2_|tvly-)[\w+/=-]{24,}/g,
    `glsa_${alnum(32)}_${hex(8)}`,
  ),

  row(
    "jwt",
    [".eyJ"],
    () => /\.eyJ(?<=(?<lead>eyJ[\w-]{8,})\.eyJ)[\w-]{8,}(?:\.[\w-]*)?/g,
    `eyJ${alnum(30)}.eyJ${alnum(60)}.${alnum(43)}`,
  ),
  {
    name: "bearer",
    hints: ["earer", "EARER"],
    pattern: () => /earer["'`:]{0,2}[ \t]+["'`]?([\w.~+/=-]{8,})/gi,
    sample: `curl -H 'Authorization: Bearer ${alnum(40)}'`,
    accept: (_, value) => isMixed(value) && !isPlaceholder(value),
  },
  {
    name: "cookie",
    hints: ["ookie", "OOKIE"],
    pattern: () => /cookie["'\\]{0,4}[ \t]{0,4}[:=\t ][ \t]{0,4}["'\\]{0,4}([^\s=;"'\\]{1,80}=[^\r\n"'\\]{4,})/gi,
    sample: `Set-Cookie: sid=${alnum(32)}; Path=/; HttpOnly`,
    accept: (_, value) => /=[^;\s=]*\d[^;\s]{7}|=[^;\s=]{7,}\d/.test(value),
  },
  {
    name: "url-password",
    hints: ["://"],
    pattern: () => /:\/\/[^\s/?#:@"'`<>\\]{0,200}:([^\s/"'`<>\\]{1,200})(?=@[\w.[-])/g,
    sample: "postgres://app:s3cr3t-Passw0rd@db.example.com:5432/app",
    accept: (_, value) => !isTemplate(value) && !/^\d{1,5}[?#]/.test(value),
  },
  {
    name: "curl-user",
    hints: ["curl"],
    pattern: () => /curl\b[^\n]{0,300}?[ \t](?:-u|--user)[ \t=]*["']?[^\s:"']{1,80}:([^\s"']{3,200})/g,
    sample: "curl -sS -u admin:s3cr3t-Passw0rd https://example.com",
    accept: (_, value) => !isPlaceholder(value),
  },
  {
    name: "credential",
    hints: ["</"],
    pattern: once(
      () => new RegExp(String.raw`<[\w:.-]{0,40}(?:${WORDS})(?:[ \t][^<>]{0,100})?>([^<>\s]{3,300})(?=<\/)`, "gi"),
    ),
    sample: "<password>s3cr3t-Passw0rd</password>",
    accept: (_, value) => isMixed(value) && !isPlaceholder(value),
  },
  {
    name: "credential",
    worded: true,
    pattern: once(adjacent),
    starts: adjacentStarts,
    sample: "mysql --password s3cr3t-Passw0rd app",
    accept: isAdjacentSecret,
    nests: true,
  },
  {
    name: "credential",
    worded: true,
    pattern: once(assigned),
    sample: "DB_PASSWORD=s3cr3t-Passw0rd",
    accept: isAssignedSecret,
    nests: true,
  },
];

function row(name: string, hints: readonly string[], pattern: () => RegExp, sample: string): Secret {
  return { name, hints, pattern, sample };
}

/** Most texts need few of the patterns: each is made when it is first asked for. */
function once(make: () => RegExp): () => RegExp {
  let pattern: RegExp | undefined;
  return () => (pattern ??= make());
}

/** `key = value` in any notation. Starts at the rare `=` or `:` and looks back for the key: far cheaper than its words. */
function assigned(): RegExp {
  const edge = String.raw`\\{0,7}["'\x60*\])]{0,3}`;
  const named = String.raw`(?:,?\s{0,40}["'\\]{0,4}value["'\\]{0,4})?`;
  const typed = String.raw`:[ \t]?[\w&<>|.\[\]]{1,30}[ \t]{0,8}=`;
  const key = String.raw`([\w$.-]{0,60}(?:${WORDS})[_-]?\d{0,2})${edge}${named}(?:${typed}|[ \t]{0,8}[!+?|]{0,2}[=:])`;
  const scheme = String.raw`(?:(?:bearer|basic|token|digest|bot|apikey)[ \t]+)?`;
  const quoted = String.raw`(\\{0,7}(?:"""|'''|["'\x60]))${scheme}(?!\2|[\s),;\]}+])([^\r\n]{0,300}?[^\\\r\n])(?=\2)`;
  const tight = String.raw`(?<=[^\s=]=)(?![([{$])((?:[^\s"'\x60\\;&|<>,)]|\\(?![nrt"'\\])){3,300})`;
  const loose = String.raw`(?:\\{0,7}["'\x60](?=\w))?${scheme}((?!:)[^\s"'\x60\\;&|<>,(){}\[\]]{3,300})`;
  return new RegExp(String.raw`[=:](?<=${key})[=>]{0,2}[ \t]{0,20}\*{0,2}[ \t]?(?:${quoted}|${tight}|${loose})`, "gi");
}

function isAssignedSecret(match: RegExpExecArray, value: string): boolean {
  const [, key = "", , quoted, tight] = match;
  if (HARMLESS_KEY.test(key) || isPlaceholder(value) || isPartOfName(match, key)) return false;
  if (quoted === undefined && isCode(match, value, tight === undefined)) return false;
  if (isRandom(value)) return true;
  if (/authorization$/i.test(key)) return value.length >= 8 && !WORDS_ONLY.test(value);
  if (!STRONG_KEY.test(key)) return value.length >= (/token/i.test(key) ? 6 : 8) && isMixed(value);
  if (quoted !== undefined) return value.length >= 3;
  if (tight !== undefined && /^[A-Z0-9_]+$/.test(key)) return value.length >= 4;
  return value.length >= 4 && (isMixed(value) || /^\d+$/.test(value) || /^\w.*[@#$%^*~!?+]\w/.test(value));
}

/** `arn:aws:secretsmanager:…:secret:name` names a secret, and is none. */
function isPartOfName(match: RegExpExecArray, key: string): boolean {
  return match[0].startsWith(":") && match.input[match.input.lastIndexOf(key, match.index) - 1] === ":";
}

/** A flag and its value, or the word and its value in a sentence. */
function adjacent(): RegExp {
  return new RegExp(
    String.raw`(${STRONG}|token|credentials?)["'\x60*)\]|]{0,3}[ \t]+` +
      String.raw`(?:(?:(is|was|are|of|for|to|the|value|set)|[|-]{1,3})[ \t]+){0,3}` +
      String.raw`(["'\x60*(|]{0,3})([^\s"'\x60\\;&|<>,(){}\[\]]{4,300})`,
    "gi",
  );
}

const BEFORE_KEY =
  /(?<=(api|access|account|auth|encryption|master|private|secret|shared|signing|storage)([_ -]?))key/iy;

/** Each place at which one of the words of `adjacent` may begin. */
function adjacentStarts(text: string, word: number): number[] {
  switch (text.charCodeAt(word) | 0x20) {
    case 0x61: // auth, which is none of them by itself
      return [];
    case 0x6b: {
      BEFORE_KEY.lastIndex = word;
      const [, kind, gap] = BEFORE_KEY.exec(text) ?? [];
      return kind === undefined ? [] : [word - kind.length - (gap ?? "").length];
    }
    case 0x70: // pass, pwd
      return /[_-]/.test(text.charAt(word - 1)) ? [word - 1, word] : [word];
    default:
      return [word];
  }
}

function isAdjacentSecret(match: RegExpExecArray, value: string): boolean {
  const [, word = "", said, quote = ""] = match;
  // Prose is full of these words; most of it ends here, before the costlier looks.
  if (quote === "" && !isMixed(value)) return false;
  if (isPlaceholder(value) || value.startsWith("-") || isCode(match, value)) return false;
  const isFlag = /(?:^|[\s"'`([,])--[\w-]*$/.test(match.input.slice(Math.max(0, match.index - 40), match.index));
  if (isFlag) return quote !== "" || isMixed(value);
  if (isRandom(value)) return true;
  return isMixed(value) && STRONG_KEY.test(word) && (/["'`]/.test(quote) || (said !== undefined && value.length >= 6));
}
