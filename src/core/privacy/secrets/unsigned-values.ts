// Finds values that follow a label without a sign: arguments, calls, name and value pairs, elements, cells, sentences.
import { nestedAt } from "./signed-values.ts";
import type { Label } from "./labels.ts";
import type { SecretRange } from "./secret.ts";
import { isCredential, isHarmless, isQuality, judge, nonEmpty } from "./judge.ts";
import { bareAt, captured, endOfMatch, OWNER, type Place, quotedAt, type Value, valueAt } from "./value.ts";
import { isMixed } from "./placeholders.ts";

/** `--password value`, `["--password", "value"]`, `-Password "value"`, `- --password` above `- value`. */
export function optionValue({ text, view, label, before }: Place): Value[] | undefined {
  if (!/[-/]/.test(text.charAt(label.start - 1)) || !/(?:^|[\s"'`([,|])[-/]{1,2}$/.test(before)) return undefined;
  const isItem = /^\s*(?:-\s+)?["']?-{1,2}$/.test(before);
  const gap = (isItem ? /^["']?,?[ \t]*\n\s*(?:-\s+)?|^["'`],\s*|^[ \t]+/ : /^["'`],\s*|^[ \t]+/).exec(view.text)?.[0];
  if (gap === undefined) return undefined;
  const quoted = quotedAt(view, gap.length);
  if (quoted !== undefined)
    return quoted.text.startsWith("-") ? [] : judge(label, quoted, label.kind === "token" ? "argument" : "literal");
  // All arguments in a list are quoted.
  if (gap.includes(",")) return [];
  const value = bareAt(view, gap.length, /["'`]/.test(before));
  if (value === undefined || /^[-<[|&>(]/.test(value.text) || /^[A-Z_]{2,12}$/.test(value.text)) return [];
  const isWordlike = /^[\p{L}\p{M}_.$-]+$/u.test(value.text);
  // The columns of a help text have no values.
  if (isWordlike && /[ \t]{2}|\t/.test(gap) && !/\n/.test(gap) && !text.slice(label.end, label.end + 3).includes("\\"))
    return [];
  if (label.kind === "token" && /^[a-z]+(?:-[a-z]+){2,}$/.test(value.text) && !isHarmless(value.text)) return [value];
  return judge(label, value, "setting");
}

const SETTER =
  /(?:define|environ\.get|getenv|get_?env\w*|getOrDefault|fetch|set\w*|\w*setopt|put\w*|add\w*|append|fill|type|send_?keys|header|with\w*|param\w*|property|insert|store|register|env)\s*\(\s*(?:[\w.]{1,30},\s*)?["'`#.[\w=-]*$/i;

/** `define('DB_PASSWORD', 'value')` and other calls with a name and a value. */
export function nameThenValue({ view, label, line }: Place): Value[] | undefined {
  // `add_argument("--password", default="value")`
  const byDefault = /["'`]\s{0,4},[^\n()]{0,80}?\bdefault\s{0,2}=\s{0,2}(?=["'])/y;
  const standard = quotedAt(view, endOfMatch(byDefault, view.text, 0));
  if (standard !== undefined) return judge(label, standard, "literal");
  const gap = /^(?:["'`]?\]?["'`]\s{0,4})?,\s{0,20}(?=["'`])/.exec(view.text)?.[0];
  if (gap === undefined) return undefined;
  // The name may be a constant or an atom: `CURLOPT_PASSWORD, "…"`, `{password, "…"}`.
  if (gap.startsWith(",") && !(/^[A-Z_]+$/.test(label.name) && SETTER.test(line)) && !line.endsWith("{"))
    return undefined;
  const value = quotedAt(view, gap.length);
  if (value === undefined) return undefined;
  if (/^--?\w/.test(value.text)) return [];
  if (SETTER.test(line) || gap.startsWith(",")) return judge(label, value, "literal");
  // `('password', 'value')` is a pair printed by Python.
  if (/\b(?:Map\.of|HashMap::from|hash_map)\([^()]*$/.test(line)) return judge(label, value, "literal");
  if (/(?:^|[\s,[])\(["']$/.test(line) && /^["']\)/.test(view.text.slice(value.end)))
    return judge(label, value, "literal");
  return isMixed(value.text) && !/^[\w.]+$/.test(value.text) ? judge(label, value, "literal") : undefined;
}

/** Finds the value in `env.JWT_SECRET || "value"`. */
export function fallback({ view, label }: Place): Value[] | undefined {
  const gap = /^(?:["'`\])]{0,3}\s{1,4}(?:\|\||\?\?|\?:)|["']?[\])]\s{1,4}or)\s{1,4}(?=["'`])/.exec(view.text)?.[0]
    .length;
  const value = quotedAt(view, gap);
  return value && judge(label, value, "literal");
}

/** `setPassword("value")`, `.password("value")`, `cy.get("[type=password]").type("value")`. */
export function setterCall({ text, view, label }: Place): Value[] | undefined {
  const typed = /^["'`\]]{0,3}\)\s{0,4}\.(?:clear\(\)\.)?(?:type|fill|send_?keys|setValue|val|set)\(\s{0,4}/i.exec(
    view.text,
  );
  const isSetter =
    /(?:^|[._])(?:set|with)_?\w*$/i.test(label.name) ||
    text.charAt(label.start - 1) === "." ||
    /^PASSWORD$/.test(label.name);
  const open = typed?.[0].length ?? (isSetter && /^\(["'`]/.test(view.text) ? 1 : undefined);
  if (open === undefined) return view.text.startsWith("(") ? [] : undefined;
  const value = quotedAt(view, open);
  if (value === undefined) return [];
  const keys = value.text.replace(/\{\w+\}$/, "");
  return judge(label, { ...value, end: value.start + keys.length, text: keys }, "literal");
}

/** Finds the value of a multipart form field: the name, an empty line, the value. */
export function formPart({ text, view, label }: Place): Value[] | undefined {
  if (!/name=["']$/.test(text.slice(label.start - 6, label.start))) return undefined;
  const match = /^["']\s?\n\s?\n([^\n]{3,200}?)\s?\n/d.exec(view.text);
  return match === null ? undefined : judge(label, captured(match, true), "setting");
}

const NAME_KEY =
  /(?:^|[\s{,<"'\\-])(?:(?:parameter_?)?(?:name|key)|id|field|variable|parameter|label|placeholder|type|element)["'\\]{0,4}\s{0,4}[:=]\s{0,4}\\{0,3}["']?[\w/.-]*$/i;
const VALUE_KEY =
  /(?:^|[\s,"'])(?:string_?)?(?:(?:parameter_?)?value|val|content|default_?value|secret_?value|text)["']?\s{0,4}[:=]\s{0,4}/i;
const NEXT_NAME = /(?:^|[\s,{"'-])name["']?\s{0,4}[:=]|valueFrom|\}|>/i;

/** Finds the value in `name: DB_PASSWORD` with `value: …` next to or below it. */
export function nameAndValue(place: Place): Value[] | undefined {
  const { text, view, label } = place;
  const lead = text.slice(Math.max(0, label.start - 60), label.start);
  if (/^["']\s?\{/.test(view.text)) return nestedAt(place, view.text.indexOf("{"));
  if (!NAME_KEY.test(lead) || /^pass$/i.test(label.name)) return undefined;
  const key = VALUE_KEY.exec(view.text.slice(0, 300));
  if (key === null || (/content/i.test(key[0]) && !/<meta\b[^<>]*$/i.test(lead))) return undefined;
  if (/text/i.test(key[0]) && !/element["']?\s{0,4}[:=]\s{0,4}["'][^"']*$/i.test(lead)) return undefined;
  const stop = NEXT_NAME.exec(view.text.slice(0, key.index));
  if (stop !== null) return undefined;
  const value = valueAt(view, key.index + key[0].length);
  if (value === undefined) return [];
  const found = judge(label, value, value.isQuoted && /\s/.test(value.text) ? "setting" : "argument");
  // A diff shows the old and the new value.
  const other = valueAt(view, endOfMatch(/["']?\n\s*value["']?\s{0,4}[:=]\s{0,4}/iy, view.text, value.end));
  return other === undefined ? found : [...found, ...judge(label, other, "argument")];
}

const ATTRIBUTE_BEFORE =
  /(?:[\s,{"'<])(?:value|content|default_?value)["'\\]{0,3}\s{0,4}[:=]\s{0,4}(\\{0,3}["'])([^"'\n]{3,200}?)\1[^<>{}]{0,120}$/di;

/** `value="…" name="password"`. */
export function attributeBefore({ text, label }: Place): SecretRange[] {
  const from = Math.max(0, label.start - 300);
  const lead = text.slice(from, label.start);
  if (!NAME_KEY.test(lead.slice(-60))) return [];
  const start = Math.max(lead.lastIndexOf("<"), lead.lastIndexOf("{"));
  const match = start < 0 ? null : ATTRIBUTE_BEFORE.exec(lead.slice(start));
  if (match === null) return [];
  const value = captured(match, true, from + start);
  return isCredential(label.kind, value, "literal") ? [{ start: value.start, end: value.end, name: "credential" }] : [];
}

const ELEMENT =
  /^["']?(?:[ \t][^<>\n]{0,160})?>\s{0,40}(?:<(?:\w{1,10}:)?[Vv]alue>\s{0,40})?(?:<!\[CDATA\[([^\n]{3,200}?)\]\]>|([^<>\n]{3,200}?))\s{0,40}<\//;
const BESIDE_ELEMENT =
  /^\s{0,4}:?\s{0,4}(?:<\/[\w:-]{1,30}>\s{0,40}){1,2}(?:<(?:[\w:]{1,30}[ \t]name=["'][\w.]{0,30}value["']|td|dd|string|code|b|strong|span|kbd|tt|em|value|text|p|div)(?:[ \t][^<>]{0,80})?>\s{0,40}){1,2}([^<>\n]{3,200}?)\s{0,40}<\//;

/** `<password>value</password>`, `<property name="password">value</property>`, `<th>Password</th><td>value</td>`. */
export function markupElement({ text, view, label }: Place): Value[] | undefined {
  const lead = text.slice(Math.max(0, label.start - 80), label.start);
  const isTag = /<(?:[\w-]{1,30}:)?$/.test(lead) || /<[^<>]{0,70}\b(?:name|key)=["']?[\w.]*$/i.test(lead);
  const match = isTag
    ? ELEMENT.exec(view.text)
    : />\s*(?:[\w]{1,20} )?$/.test(lead)
      ? BESIDE_ELEMENT.exec(view.text)
      : null;
  if (match === null) return undefined;
  const found = (match[1] ?? match[2] ?? "").trim();
  const start = match[0].lastIndexOf(found);
  return judge(
    label,
    { start, end: start + found.length, text: found, isQuoted: match[2] === undefined || !/[(){}]/.test(found) },
    "literal",
  );
}

/** `| SMTP password | value |` in a table of two columns. */
export function nextCell({ view, label, before }: Place): Value[] | undefined {
  const match = /^[ \t`*]{0,20}\|[ \t`*'"]{0,20}([^|\n]{3,120}?)[ \t`*'"]{0,20}\|?[ \t]*(?=\n|$)/d.exec(view.text);
  if (match === null || !/^\s*[|│]?[\s`*]*(?:[\w./-]+ ){0,3}$/.test(before)) return undefined;
  // The label is in the header of a table.
  if (/^\s*\n[\s|:+-]*--/.test(view.text.slice(match[0].length, match[0].length + 20))) return undefined;
  const value = captured(match, false);
  if (isHarmless(value.text)) return undefined;
  return nonEmpty(judge(label, value, /\s/.test(value.text) ? "argument" : "setting"));
}

/** In commands of a network switch: `enable secret 0 value`, `username ann password 7 value`. */
const LEVEL = /[ \t]{1,2}[0579][ \t]{1,2}(?=\S{4})/y;
/** `rootpw --plaintext value`, `user-password password value`. */
const TYPED = /[ \t]{1,2}(?:--plaintext|--lock|password)[ \t]{1,2}(?=\S{4})/y;
/** "A temporary password is generated for root@localhost: value". */
const MADE = /[ \t](?:is|was)[ \t](?:generated|set|created|reset)[^\n:]{0,40}:[ \t]+(?=\S{4})/y;
const GIVEN = /\b(?:generated|temporary|temp|initial|random|one-time)[ \t]$/i;

/** `#define WIFI_PASSWORD "…"`, `(setq api-token "…")`. */
const DEFINED = /(?:#\s{0,4}define|setq|defvar|defconst|ENV|ARG)\s{1,8}$/;

const SPOKEN = new RegExp(
  String.raw`["'\x60]{0,2}(?:(?:'s)?${OWNER}(?:[ \t]+[\p{L}]{2,12}){0,5}?[ \t]+(?:is|was|ist|war|lautet|est|es|è|é|to|will be|should be)(?:[ \t]+(?:now|still|currently|just|set to))?[ \t]?:?[ \t]+|'s[ \t]+|[ \t]*(?:是|为|為|は)[ \t]*)(?:<\w{1,8}>)?`,
  "iyu",
);
const OWNED = new RegExp(String.raw`(?=[ \t]\p{L})${OWNER}[ \t]+(?=")`, "iuy");
/** The prompt of Python, Ruby or Node. */
const PROMPT = /^(?:>>>|>|In \[\d+\]:|irb[^>]{0,30}>) $/;
const BESIDE = /[ \t]+/y;

/** Finds values in sentences: "the password is …", "password …" after a user name, "from … to …". */
export function inSentence({ view, label, before, line, text }: Place): Value[] | undefined {
  const defined = DEFINED.test(before) ? quotedAt(view, endOfMatch(BESIDE, view.text, 0)) : undefined;
  if (defined !== undefined) return judge(label, defined, "literal");
  if (label.kind !== "password" && label.kind !== "secret" && label.kind !== "named") return undefined;
  // "Pass" is a verb in "Pass `--force`".
  if (label.name.toLowerCase() === "pass" && !isLoginLine(text, label)) return undefined;
  const made = endOfMatch(MADE, view.text, 0);
  const stated = valueAt(view, endOfMatch(LEVEL, view.text, 0) ?? endOfMatch(TYPED, view.text, 0) ?? made);
  if (stated !== undefined) {
    const whole = made === undefined ? stated.text : (/^\S+/.exec(view.text.slice(stated.start))?.[0] ?? "");
    return judge(label, { ...stated, end: stated.start + whole.length, text: whole }, "argument");
  }
  const change = !/\b(?:chang|rotat|updat)\w{0,3}\b/i.test(before)
    ? null
    : /^["'`]?[ \t]from[ \t](\S{4,60})[ \t]to[ \t](\S{4,60})/.exec(view.text);
  if (change !== null) {
    return [change[1], change[2]].flatMap((found = "") => {
      const start = view.text.indexOf(found);
      const value = bareAt(view, start, false) as Value;
      return judge(label, value, "prose");
    });
  }
  SPOKEN.lastIndex = 0;
  const match = SPOKEN.exec(view.text);
  if (match !== null) {
    const at = SPOKEN.lastIndex;
    if (
      /[ \t]to[ \t]+$/.test(match[0]) &&
      !/\b(?:set|change|changed|reset|update|updated|rotate|rotated)\b/i.test(before)
    )
      return undefined;
    const value = valueAt(view, at, /["`]/.test(before));
    if (value === undefined || /^\W+$/.test(value.text)) return undefined;
    const isChinese = /[是为為は]/.test(match[0]);
    // Chinese and Japanese sentences have no spaces, so the value may be the rest of the sentence.
    if (isChinese && !value.isQuoted && /^[\u3040-\u9fff]|[\u3040-\u9fff]{4}/.test(value.text)) return undefined;
    const isBesideName =
      isChinese || LOGIN_NEAR.test(before) || LOGIN_NEAR.test(view.text.slice(value.end, value.end + 40));
    return nonEmpty(judge(label, value, isBesideName && !isQuality(value.text) ? "argument" : "prose"));
  }
  const shown = PROMPT.test(line) ? quotedAt(view, endOfMatch(/["'\])]{0,3}\n(?=["'])/y, view.text, 0)) : undefined;
  if (shown !== undefined) return judge(label, shown, "literal");
  const below = endOfMatch(/[ \t]+(?:is|ist|est|es)[ \t]*:?[ \t]*\n[ \t]*(?=\S{6,60}[ \t]*(?:\n|$))/y, view.text, 0);
  const alone = below === undefined ? undefined : bareAt(view, below, false);
  if (alone !== undefined) return nonEmpty(judge(label, alone, "prose"));
  if (label.kind === "named") return undefined;
  const quotedOwned = quotedAt(view, endOfMatch(OWNED, view.text, 0));
  if (quotedOwned !== undefined) return nonEmpty(judge(label, quotedOwned, "prose"));
  const at = endOfMatch(BESIDE, view.text, 0);
  if (at === undefined) return undefined;
  const quoted = quotedAt(view, at);
  if (quoted !== undefined)
    return label.kind === "secret" || /["'`]$/.test(before)
      ? undefined
      : nonEmpty(judge(label, quoted, isDirective(text, label, view.text.slice(quoted.end + 1)) ? "setting" : "prose"));
  const value = bareAt(view, at, /["`]/.test(before));
  if (value === undefined || /^\w+=/.test(value.text)) return undefined;
  if (label.name === "PASS") return nonEmpty(judge(label, value, "argument"));
  if (
    /\b(?:use|using|with|usa|nimm|mit|enter|type)\b[^\n]{0,12}$/i.test(before) &&
    /\d|\p{L}[-.]\p{Lu}|\p{Lu}\p{Ll}+[-.!]/u.test(value.text)
  )
    return nonEmpty(judge(label, value, "prose"));
  if (GIVEN.test(before) && isMixed(value.text) && value.text.length >= 8)
    return nonEmpty(judge(label, value, "prose"));
  if (/^\s*(?:ENV|ARG|setx|set -\w{1,3}|Step \d.{0,12} ENV)\s+$/.test(before))
    return nonEmpty(judge(label, value, "argument"));
  if (isDirective(text, label, view.text.slice(value.end))) return nonEmpty(judge(label, value, "argument"));
  const isColumn = before === "" && /^(?:\t| {2,})\S+\s*(?:\n|$)/.test(view.text);
  if (isColumn) return nonEmpty(judge(label, value, "prose"));
  const isLogin =
    /(?:user|login|root|admin|benutzer|usuario|utilisateur|логин)[^\n]{0,40}(?:[,;(/]|\b(?:und|and|et|y))\s*$|\b(?:wifi|connect)\b[^\n]{0,40}$|\buser(?:name)? \S{1,40}[ \t](?:insecure-)?$/iu.test(
      before,
    );
  return isLogin && /^[!#$@%&]?\p{Lu}|\d|\p{L}[-.]\p{L}/u.test(value.text)
    ? nonEmpty(judge(label, value, /[-.]|^[!#$@%&]/.test(value.text) ? "argument" : "prose"))
    : undefined;
}

const LOGIN_NEAR = /\b(?:user|login|username|admin|account|benutzer|usuario|utilisateur)\b/i;

/** True for `PASS value` below `USER ann`, as in POP3 and FTP. */
function isLoginLine(text: string, { start, name }: Label): boolean {
  return (name === "PASS" ? /\bUSER \S|\bFTP: $/ : /\n[ \t]*(?:user|login)\b[ \t][^\n]*\n[ \t]*$/i).test(
    text.slice(Math.max(0, start - 80), start),
  );
}

/** True for `requirepass value`, and for `password value` below a line such as `user alerts`. */
function isDirective(text: string, { start, name }: Label, after: string): boolean {
  if (!/^[ \t]*(?:\n|$)/.test(after)) return false;
  const above = text.slice(Math.max(0, start - 200), start);
  const line = above.slice(above.lastIndexOf("\n") + 1);
  if (line.trim() !== "") return false;
  if (/^(?:requirepass|masterauth|bindpw|rootpw)$/i.test(name)) return true;
  return /(?:^|\n)[ \t]*(?:user(?:name)?|login|host|account|machine|port|from|bind)[ \t]+\S+[ \t]*\n[ \t]*$/i.test(
    above,
  );
}
