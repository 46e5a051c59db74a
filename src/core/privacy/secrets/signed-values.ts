// Finds values after a label and a sign: `password = value`, blocks, lists, defaults, dumps.
import { hasInnerSymbol, isHarmless, judge } from "./judge.ts";
import { bareAt, captured, endOfMatch, OWNER, type Place, quotedAt, type Value, valueAt } from "./value.ts";
import { isMixed } from "./placeholders.ts";
import { isAmongCode, setting, SETTING_START } from "./settings-line.ts";
import type { View } from "./view.ts";

const CLOSE = String.raw`["'\x60*_)\]]{0,4}`;
const NOTE = String.raw`(?:[ \t]{1,3}\([^()\n]{0,40}\)|[ \t]\[[^\]\n]{0,40}\]|[ \t]As[ \t]\w{1,12})?`;
const SIGN = new RegExp(
  String.raw`(${CLOSE}${NOTE}(${OWNER}))(\s{0,20})(=>|->|→|›|[—–](?=[ \t])|:=|:{1,2}=?|[?+|]{0,2}={1,3})([ \t]{0,40})(?:[*_]{2}|[*_](?=[ \t]))?[ \t]?(?:!![a-z]+[ \t]+|&\w{1,20}[ \t]+(?!=)|0x[0-9a-f]{4,16}[ \t](?=")|<(?:b|strong|code|em|kbd|span|i|tt)>)?`,
  "y",
);

export function afterSign(place: Place): Value[] | undefined {
  const { view, label } = place;
  SIGN.lastIndex = 0;
  const match = SIGN.exec(view.text);
  if (match === null) return undefined;
  const [, closers = "", owner = "", space = "", sign = "", gap = ""] = match;
  if (space.includes("\n") && !/["']/.test(closers)) return undefined;
  let at = SIGN.lastIndex;
  const next = view.text.charAt(at);
  if (next === "" || sign.length > 2) return next === "" ? undefined : [];
  // `SigningKey::generate` is a path of modules.
  if (sign === "::" && gap === "") return [];
  // `arn:…:secret:name` is the name of a secret.
  if (sign === ":" && /\w:$/.test(place.before)) return [];
  // `:placeholder="…"` after the label is another attribute.
  if (sign === ":" && space !== "" && gap === "" && /^\w[\w-]*=/.test(view.text.slice(at, at + 40))) return [];
  if (/["']/.test(closers)) at = endOfMatch(/\s*\n\s*(?:string\(\d+\) )?(?=["'])/y, view.text, at) ?? at;
  // const password: string = "…"
  const typed = /[\w<>[\]|&.?' ]{1,30}[ \t]{0,4}=[ \t]{0,4}(?=[bBrRuUfF@]{0,2}["'`])/y;
  if (sign === ":") at = endOfMatch(typed, view.text, at) ?? at;
  if (/ds$/i.test(label.name)) return listAt(place, at);
  const several =
    blockAt(place, at) ?? listAt(place, at) ?? nestedAt(place, at) ?? fallbackAt(place, at) ?? wordDiffAt(place, at);
  if (several !== undefined) return several;
  // `ADMIN_CREDENTIALS = ("admin", "value")`
  const isPair = /(?:^|[._])(?:credentials?|auth|login)$/i.test(label.name);
  const user = /[([]\s{0,4}["'][^"'\n]{1,60}["']\s{0,4},\s{0,4}(?=["'])/y;
  const second = isPair ? quotedAt(view, endOfMatch(user, view.text, at)) : undefined;
  if (second !== undefined) return judge({ ...label, kind: "password" }, second, "literal");
  const quoted = quotedAt(view, at) ?? constructedAt(view, at) ?? bracketedAt(view, at);
  if (quoted !== undefined) {
    const isVerb = /^pass$/i.test(label.name) && view.text.charAt(quoted.start - 1) === "`";
    return isVerb
      ? []
      : [quoted, ...replacementOf(view, quoted)].flatMap((one) =>
          judge(label, one, owner === "" ? "literal" : "prose"),
        );
  }
  if (/^\s*\n/.test(view.text.slice(at))) return nextLine(place, at, sign);
  const opened = /^["'`]/.test(view.text.slice(at)) ? at + 1 : at;
  return bare(place, opened, {
    sign,
    isTight:
      space === "" && owner === "" && (gap === "" || /^=\\\r?\n/.test(place.text.slice(label.end, label.end + 4))),
    isOwned: owner !== "" || /[—–]/.test(sign),
    isDump: sign === "=>" && closers.includes("]"),
  });
}

/** Finds the default in a reference: `${db.password:value}`. */
export function defaultOfReference({ view, label, before }: Place): Value[] | undefined {
  if (!/[$#]\{$|\{\{\s*$/.test(before)) return undefined;
  const match = /^:-?([^{}?:\n][^{}\n]{2,80})\}/d.exec(view.text);
  return match === null ? [] : judge(label, captured(match, false), "argument");
}

interface Assignment {
  sign: string;
  isTight: boolean;
  isOwned: boolean;
  /** `[password] => value`, printed by PHP. */
  isDump: boolean;
}

const STARTS_LINE =
  /^[\s\d→:|>#*+"'$,({[~/-]*(?:(?:export|set|env|ENV|ARG|local|declare|readonly|-e|-D)[ \t]+)?(?:[\p{L}\d_-]+[ \t]){0,2}$/u;
const ENDS_LINE = /^[ \t"'*]*(?:[ \t]#|\/\/|--[ \t]|\r?\n|$)/;

/** Words before a label that a message follows: "Wrong password: …", "your password: …". */
const MESSAGE_BEFORE =
  /\b(?:wrong|invalid|incorrect|bad|weak|missing|no|not|enter|forgot|reset|change|confirm|choose|pick|use|your|the|a|an|this|that|and|or|for|of|with|new|strong)\s[\p{L}\s]{0,20}$/iu;

function bare(place: Place, at: number, { sign, isTight, isOwned, isDump }: Assignment): Value[] {
  const { view, label, before, line, text } = place;
  const isCount = label.name.toLowerCase() === "pass" && /^\d/.test(view.text.slice(at, at + 1));
  if (isCount) return [];
  // `!Ref Name` and `!vault |` are references.
  if (/^![A-Za-z]+[ \t]/.test(view.text.slice(at, at + 40))) return [];
  const braced = /^\{([^{}\n]{3,100})\}(?=;|$|["'\s])/d.exec(view.text.slice(at, at + 120));
  if (braced !== null && isTight && /;/.test(before)) return judge(label, captured(braced, true, at), "literal");
  const isInQuotes = (line.match(/["'`]/g)?.length ?? 0) % 2 === 1;
  // `user/password: ann/value`
  const both = before.endsWith("/") ? endOfMatch(/[\w.@-]{2,60} ?[/:] ?(?=\S{3})/y, view.text, at) : undefined;
  const second = both === undefined ? undefined : bareAt(view, both, false);
  if (second !== undefined) return judge(label, second, "argument");
  const inQuotes = isTight ? quotedPair(place, at) : undefined;
  if (inQuotes !== undefined) return judge(label, inQuotes, "literal");
  const phrase =
    (isOwned ? undefined : wholeLine(place, at, isTight, isInQuotes)) ??
    (isOwned || isInQuotes ? undefined : setting(place, at, sign));
  if (phrase !== undefined) return phrase;
  const value = bareAt(view, at, isInQuotes);
  if (value === undefined) return [];
  const { text: found } = value;
  const after = view.text.slice(value.end, value.end + 60);
  // `密码：不能为空` is a sentence.
  if (/^[\u3040-\u9fff，。]+$/.test(found)) return [];
  const isWordlike = /^[\p{L}\p{M}_.$-]+$/u.test(found);
  if (/^[([]/.test(after) && /\w$/.test(found)) return [];
  const isLast = ENDS_LINE.test(after);
  if (isOwned && isLast && !isWordlike) return judge(label, value, "argument");
  if (isOwned)
    return isLast && sign !== ":" ? judge(label, value, "argument") : isWordlike ? [] : judge(label, value, "prose");
  const isLine = STARTS_LINE.test(before) && isLast;
  if (!isWordlike) {
    if (isTight || isLine) return judge(label, value, "argument");
    return isMixed(found) || (hasInnerSymbol(found) && !/^\w+=/.test(found)) ? judge(label, value, "prose") : [];
  }
  // `password: <b>value</b>`
  if (/<\w{1,6}>$/.test(view.text.slice(Math.max(0, at - 8), at))) return judge(label, value, "argument");
  const isVariableName = /^[a-z]+(?:_[a-z\d]+)+$|^[a-z]+(?:[A-Z][a-z\d]+)+$/.test(found);
  if (isVariableName && !/^[A-Z\d_]+$/.test(label.name) && !before.endsWith("-")) return [];
  if (isTight && sign !== ":") {
    const isCall = /[\w\])]\s?\([^()]*$/.test(line) && !isInQuotes;
    const isVariable = isCall && /^[A-Za-z_$][\w$]*$/.test(found) && !/^[A-Z][a-z]{5,}$/.test(found);
    // An option of a command: `-Dkey.password=value`.
    if (/(?:^|\s)-{1,2}$/.test(before)) return judge(label, value, "setting");
    return isVariable || (isCall && /^\w+\.\w+$/.test(found)) ? [] : judge(label, value, "exact");
  }
  // `- { name: ann, password: value }` is YAML in one line.
  const isFlow = !isTight && /^[ \t]*-?[ \t]*(?:[\w-]+:[ \t]*)?\{[^()]*$/.test(line) && /^ ?[,}]/.test(after);
  if (
    isFlow &&
    /^\p{L}[\p{Ll}-]{4,}$/u.test(found) &&
    (/^\p{Lu}/u.test(found) || /\b(?:user|name|login|host|email)\w*: \w/.test(line))
  )
    return judge(label, value, "argument");
  // `{User:app Password:value}` is a struct printed by Go.
  if (isTight && /(?:\{(?:\w+:\S* ){1,20}|\bmap\[(?:\w+:\S* ){0,20})$/.test(before))
    return judge(label, value, "argument");
  if (label.name.toLowerCase() === "pass" && !isBesideLogin(place, value)) return [];
  if (label.name === "secret" && sign === ":" && !/\p{Lu}/u.test(found)) return [];
  if (isDump && isLine) return judge(label, value, "argument");
  if (isLine && !isAmongCode(text, label.start, view.endOf(value.end)) && !isMember(label.name, sign)) {
    return judge(label, value, sign === ":" && MESSAGE_BEFORE.test(before) ? "prose" : "argument");
  }
  const inProse =
    isLast && sign === ":" && /[\p{L}] $/u.test(before) && !/["'`({<]/.test(before) ? judge(label, value, "prose") : [];
  if (inProse.length > 0) return inProse;
  return /^(?:[,;.)]|\s|$)/.test(after) &&
    /(?:user|login|name|host|mail|admin|root|qa)\b[^\n]{0,40}$/i.test(before) &&
    !/[({[][^)}\]]*$/.test(before)
    ? judge(label, value, "argument")
    : [];
}

/** True if a line above or below names a user or a host. */
function isBesideLogin({ text, label, view }: Place, value: Value): boolean {
  const end = view.endOf(value.end);
  const near = `${text.slice(Math.max(0, label.start - 120), label.start)}\n${text.slice(end, end + 120)}`;
  return near.trim() === "" || /(?:user|login|host|name|mail|account)\w{0,8}["']?\s{0,4}[:=]/i.test(near);
}

/** Finds the value if key and value are in the same quotation marks: `"client_secret=several words"`. */
function quotedPair({ text, view, label }: Place, at: number): Value | undefined {
  const quote = text.charAt(label.start - 1);
  if (quote !== '"' && quote !== "'") return undefined;
  const end = view.text.indexOf(quote, at);
  const found = end < 0 ? "" : view.text.slice(at, end);
  return /^[^\n=&]{3,100}$/.test(found) && found.includes(" ")
    ? { start: at, end, text: found, isQuoted: true }
    : undefined;
}

/** Finds several words: the rest of a line, or a field of a connection string. */
function wholeLine(
  { text, view, label, before }: Place,
  at: number,
  isTight: boolean,
  isInQuotes: boolean,
): Value[] | undefined {
  const rest = view.text.slice(at, at + 120);
  const field = isTight && /;/.test(before) ? /^[^;"'\n]{3,80}(?=;)/.exec(rest)?.[0] : undefined;
  if (field?.includes(" "))
    return judge(label, { start: at, end: at + field.length, text: field, isQuoted: true }, "literal");
  // "- secret: what only the server knows" is a description.
  const isListItem = /(?:^|\n)[ \t]*[-*] $/.test(text.slice(Math.max(0, label.start - 20), label.start));
  if (!STARTS_LINE.test(before) || isListItem || isInQuotes || !/^[^\s"'`,;(){}[\]]+[ \t][^\n]+(?:\n|$)/.test(rest))
    return undefined;
  const line = (rest.split("\n")[0] as string).trimEnd();
  if (!/^[a-z]+(?: [a-z]+){2,}$/.test(line)) return undefined;
  const kept = judge(label, { start: at, end: at + line.length, text: line, isQuoted: true }, "literal");
  return kept.length > 0 && (label.kind !== "password" || /phrase/i.test(label.name)) ? kept : undefined;
}

/** True for an assignment in code: `user.password = word`. */
function isMember(name: string, sign: string): boolean {
  return sign !== ":" && /^[\w$]+\.[\w$]+$/.test(name);
}

const BLOCK = /(?:[|>][+-]?\d?[ \t]*(?:#[^\n]*)?|<<[-~]?["']?\w+["']?)\n([ \t]*)(\S[^\n]*)/y;

/** Finds the indented lines below `password: |`. */
function blockAt({ view, label }: Place, at: number): Value[] | undefined {
  BLOCK.lastIndex = at;
  const match = BLOCK.exec(view.text);
  if (match === null) return undefined;
  const [, indent = "", first = ""] = match;
  const start = BLOCK.lastIndex - first.length;
  let end = BLOCK.lastIndex;
  for (;;) {
    const line = /^\n([ \t]*)([^\n]*)/.exec(view.text.slice(end));
    if (line === null || indent === "" || (line[1] as string).length < indent.length || line[2] === "") break;
    end += line[0].length;
  }
  const value: Value = { start, end, text: first.trim(), isQuoted: true };
  if (label.kind !== "password" && label.kind !== "secret") return judge(label, value, "literal");
  return isHarmless(first.trim()) || /^\w+: /.test(first) ? [] : [value];
}

/** Finds all items of `["a", "b"]`. */
function listAt({ view, label }: Place, at: number): Value[] | undefined {
  if (!/^\[\s*["']/.test(view.text.slice(at, at + 20))) return undefined;
  const values: Value[] = [];
  for (let place = at + 1; values.length < 20;) {
    place += /^[\s,]*/.exec(view.text.slice(place))?.[0].length ?? 0;
    const value = quotedAt(view, place);
    if (value === undefined) break;
    values.push(value);
    place = value.end + 1;
  }
  return values.flatMap((value) => judge(label, value, "literal"));
}

const NESTED_LINES = /\n[ \t]+(?:value|default):[ \t]+/y;
const NESTED = /\{[^{}]{0,200}?["']?\b(?:value|default)\b["']?\s{0,4}[:=]\s{0,4}/y;

/** `"db_password": { "type": "string", "value": "…" }`. */
export function nestedAt({ view, label }: Place, at: number): Value[] | undefined {
  const below = endOfMatch(NESTED_LINES, view.text, at);
  const inside = endOfMatch(NESTED, view.text, at);
  if (below === undefined && (inside === undefined || /^\{[^{}\n]{3,100}\};/.test(view.text.slice(at, at + 110)))) {
    return undefined;
  }
  const value = valueAt(view, below) ?? quotedAt(view, inside);
  return value === undefined ? [] : judge(label, value, "literal");
}

/** Finds "new" in `"old" -> "new"`, as Terraform shows a change. */
function replacementOf(view: View, { end }: Value): Value[] {
  const value = quotedAt(view, endOfMatch(/["'`][ \t]{0,4}(?:->|→|=>)[ \t]{0,4}(?=["'])/y, view.text, end));
  return value === undefined ? [] : [value];
}

/** `[[value]]` in Lua, `q{value}` in Perl. */
const BRACKETED =
  /\[\[(?!\s)([^\n]{3,200}?)\]\](?=[\s,;)]|$)|(?:\bqq?|%[qQ]?)[{([|]([^\n]{3,200}?)[})\]|](?=[\s,;)]|$)/dy;

function bracketedAt(view: View, at: number): Value | undefined {
  BRACKETED.lastIndex = at;
  const match = BRACKETED.exec(view.text);
  return match === null ? undefined : captured(match, true);
}

/** `process.env.DB_PASSWORD || "value"`. */
const OR =
  /[A-Za-z_$][\w$.?]{0,60}(?:\(["'`][\w.]{1,60}["'`]\)|\[["'`][\w.]{1,60}["'`]\])?\s{1,4}(?:\|\||\?\?|\?:|or)\s{1,4}(?=["'`])/y;

const FALLBACK = /(?:["'`])?\$\{[\w.]{1,60}:-?([^{}"'\n]{3,100})\}/dy;

/** `${DB_PASSWORD:-value}`. */
function fallbackAt({ view, label }: Place, at: number): Value[] | undefined {
  FALLBACK.lastIndex = at;
  const match = FALLBACK.exec(view.text);
  if (match !== null) return match[1]?.startsWith("?") ? [] : judge(label, captured(match, false), "argument");
  const other = quotedAt(view, endOfMatch(OR, view.text, at));
  return other && judge(label, other, "literal");
}

const WORD_DIFF = /\[-([^\s\]]{3,80})-\](?:\{\+([^\s}]{3,80})\+\})?/y;

/** `[-old-]{+new+}` */
function wordDiffAt({ view, label }: Place, at: number): Value[] | undefined {
  WORD_DIFF.lastIndex = at;
  const match = WORD_DIFF.exec(view.text);
  if (match === null) return undefined;
  const [all, old = "", now] = match;
  const values: Value[] = [{ start: at + 2, end: at + 2 + old.length, text: old, isQuoted: true }];
  if (now !== undefined)
    values.push({ start: at + all.length - 2 - now.length, end: at + all.length - 2, text: now, isQuoted: true });
  return values.flatMap((value) => judge(label, value, "literal"));
}

const CONSTRUCTED =
  /(?!(?:\w+\.)?(?:read|get|load|fetch|find|resolve|lookup|delete|create))(?:new )?(?:\[\])?[\w.:]{0,40}(?:from|string|str|bytes?|secret\w{0,10}|password|of|some|literal|raw)\((?=["'`bru@])/iy;

/** `String::from("…")`, `[]byte("…")`, `SecretStr('…')`. */
function constructedAt(view: View, at: number): Value | undefined {
  return quotedAt(view, endOfMatch(CONSTRUCTED, view.text, at));
}

/** A value alone on the line below its label. */
function nextLine({ view, label, before, text }: Place, at: number, sign: string): Value[] {
  const match = /^\s*\n[ \t]*(\S{3,200})[ \t]*(?=\n|$)/d.exec(view.text.slice(at));
  if (match === null || sign === "=>") return [];
  const value = captured(match, false, at);
  const { start, end, text: found } = value;
  const isPrompt = /(?:enter|type|retype|new)\s[\w\s]{0,20}$/i.test(before) || /^(?:enter|type)/i.test(before);
  // A word counts if it is indented below its setting and the next line is not indented.
  const isWord = SETTING_START.test(before) && /^[\p{L}.-]{5,}$/u.test(found) && /\n[ \t]/.test(match[0]);
  if (isWord && /^[ \t]*(?:$|\n(?:\S|$))/.test(view.text.slice(end))) {
    if (!isAmongCode(text, label.start, view.endOf(start))) return judge(label, value, "setting");
  }
  if (/[:;{}=]/.test(found) || found.startsWith("-") || (!isMixed(found) && !isPrompt)) return [];
  return judge(label, value, "argument");
}
