// Filters captured text before it is written: removes private parts and secrets, and cuts the middle of long texts.
import { stripPrivate, stripPrivateItems } from "./private-tags.ts";
import { redaction, redactSecrets, replaceRanges, secretRanges } from "./redact.ts";
import type { SecretRange } from "./secrets/secret.ts";
import { isPlaceholder, isSecretKey } from "./secrets/placeholders.ts";
import { withCommas } from "../text.ts";

/** Characters searched beyond a cut, to find a secret that crosses it. */
const MARGIN_CHARS = 8192;
/** Reserved for the line that says how much was cut. Shorter texts are never cut. */
const MARK_CHARS = 64;
const MAX_DEPTH = 64;
const MAX_ELEMENTS = 10_000;
/** Smaller numbers are counts, even under a key such as "token". */
const MIN_SECRET_NUMBER = 1000;

/** Idempotent: filtering the result again with the same limit does not change it. */
export function filterText(text: string, maxChars = Infinity): string {
  const kept = stripPrivate(text);
  const limit = Math.max(maxChars, MARK_CHARS);
  const redacted = kept.length <= limit ? redactSecrets(kept) : undefined;
  const filtered = redacted !== undefined && redacted.length <= limit ? redacted : cutMiddle(kept, limit);
  const clean = wellFormed(filtered);
  if (clean === kept) return clean;
  // Redacting `<privateghp_…` or cutting `<privateKey` can leave a `<private` tag behind.
  const stripped = stripPrivate(clean);
  return stripped === clean ? clean : filterText(stripped, maxChars);
}

/** Replaces NUL and unpaired surrogates, which some programs cannot read. */
function wellFormed(text: string): string {
  const whole = text.isWellFormed() ? text : text.toWellFormed();
  return whole.includes("\0") ? whole.replaceAll("\0", "\uFFFD") : whole;
}

/** Filters a JSON value: strings, keys, and whole values under a key such as "password". */
export function filterValue(value: unknown, maxChars = Infinity): unknown {
  return filterNested(value, { maxChars, secret: undefined, depth: 0 });
}

/** Keeps a head (3/4 of the limit) and a tail (1/4). Searches only these and their margins for secrets. */
function cutMiddle(text: string, limit: number): string {
  const room = limit - MARK_CHARS;
  const tailRoom = Math.floor(room / 4);
  const head = text.slice(0, room - tailRoom + MARGIN_CHARS);
  const headRanges = secretRanges(head);
  const headCut = cutPoint(headRanges, Math.min(room - tailRoom, head.length));
  const headEnd = splitsPair(text, headCut) ? headCut - 1 : headCut;

  const tailAt = Math.max(0, text.length - tailRoom - MARGIN_CHARS);
  const tail = text.slice(tailAt);
  const tailRanges = secretRanges(tail);
  const tailChars = cutPoint(mirrored(tailRanges, tail.length), Math.min(tailRoom, tail.length));
  const earliest = Math.max(
    text.length - tailChars,
    headEnd,
    openKeyEnd(text, head, headRanges),
    tailAt + longRunEnd(tail, tail.length - tailChars),
  );
  const tailFrom = pastSecret(tailRanges, (splitsPair(text, earliest) ? earliest + 1 : earliest) - tailAt);

  const cutChars = tailAt + tailFrom - headEnd;
  return redactSecrets(
    replaceRanges(head.slice(0, headEnd), within(headRanges, 0, headEnd)) +
      `\n[… ${withCommas(cutChars)} characters cut by c-mem …]\n` +
      replaceRanges(tail.slice(tailFrom), within(tailRanges, tailFrom, tail.length)),
  );
}

/** How many characters fit into `room`, both raw and redacted, without ending inside a secret. */
function cutPoint(ranges: readonly SecretRange[], room: number): number {
  let growth = 0;
  for (const { start, end, name } of ranges) {
    if (start + Math.max(growth, 0) >= room) break;
    const grown = growth + redaction(name).length - (end - start);
    if (end + grown > room) return start;
    if (end >= room) return end;
    growth = grown;
  }
  return room - Math.max(growth, 0);
}

function mirrored(ranges: readonly SecretRange[], length: number): SecretRange[] {
  return ranges.map(({ start, end, name }) => ({ start: length - end, end: length - start, name })).toReversed();
}

function within(ranges: readonly SecretRange[], from: number, to: number): SecretRange[] {
  return ranges
    .filter(({ start, end }) => start >= from && end <= to)
    .map(({ start, end, name }) => ({ start: start - from, end: end - from, name }));
}

function pastSecret(ranges: readonly SecretRange[], place: number): number {
  return ranges.find(({ start, end }) => start < place && place < end)?.end ?? place;
}

/** The end of a private key that starts in the head: it may reach into the tail. 0 without such a key. */
function openKeyEnd(text: string, head: string, ranges: readonly SecretRange[]): number {
  const last = ranges.at(-1);
  if (last?.end !== head.length || head.lastIndexOf("-----BEGIN ") < last.start) return 0;
  const end = text.indexOf("-----END ", last.start);
  return end < 0 ? text.length : end;
}

const RUN = /[\w+/=.~%-]*/y;

/** Length of the token that continues at the start of the tail: its kind is unknown, so its rest is cut. */
function longRunEnd(tail: string, from: number): number {
  RUN.lastIndex = 0;
  RUN.test(tail);
  const run = RUN.lastIndex > from ? tail.slice(0, RUN.lastIndex) : "";
  return /\d/.test(run) && /[a-z]/.test(run) && /[A-Z]/.test(run) ? run.length : 0;
}

function splitsPair(text: string, place: number): boolean {
  return (text.codePointAt(place - 1) ?? 0) > 0xffff;
}

interface Nesting {
  maxChars: number;
  /** The normalised key, if it makes the value secret. */
  secret: string | undefined;
  depth: number;
}

function filterNested(value: unknown, nesting: Nesting): unknown {
  const { maxChars, secret, depth } = nesting;
  if (typeof value === "string") {
    if (secret !== undefined && isSecretValue(value)) return redaction(secret);
    const filtered = filterText(value, maxChars);
    // A sentence is not a secret, but after filtering it may not look like a sentence.
    return secret !== undefined && filtered !== value && isSecretValue(filtered) ? redaction(secret) : filtered;
  }
  if (typeof value === "number") {
    return secret !== undefined && Math.abs(value) >= MIN_SECRET_NUMBER ? redaction(secret) : value;
  }
  if (typeof value !== "object" || value === null) return value;
  if (depth >= MAX_DEPTH) return "[… nested too deep …]";
  if (!Array.isArray(value)) return filterObject(value, { ...nesting, depth: depth + 1 });
  const items = stripPrivateItems(value.slice(0, MAX_ELEMENTS)).map((item) =>
    filterNested(item, { ...nesting, depth: depth + 1 }),
  );
  return value.length > MAX_ELEMENTS ? [...items, cutMark(value.length)] : items;
}

function isSecretValue(value: string): boolean {
  return value.trim() !== "" && !isPlaceholder(value);
}

function filterObject(object: object, { maxChars, depth }: Nesting): object {
  const entries: [string, unknown][] = Object.entries(object);
  // `{name: "DB_PASSWORD", value: "…"}`
  const named = entries.find(([key, value]) => /^(?:name|key)$/i.test(key) && typeof value === "string")?.[1];
  const filtered = entries.slice(0, MAX_ELEMENTS).map(([key, value]): [string, unknown] => {
    if (plainKeys.has(key)) return [key, filterNested(value, { maxChars, depth, secret: undefined })];
    const name = /^value$/i.test(key) && typeof named === "string" ? named : key;
    const secret = isSecretKey(name) ? normalised(name) : undefined;
    const kept = filterText(key, maxChars);
    if (kept === key && secret === undefined) keepPlain(key);
    return [kept, filterNested(value, { maxChars, depth, secret })];
  });
  if (entries.length > MAX_ELEMENTS) filtered.push(["…", cutMark(entries.length)]);
  // fromEntries defines own properties, so the key "__proto__" stays data.
  return Object.fromEntries(filtered);
}

/** Keys that need no filtering. A cache: all inputs of a tool have the same few keys. */
const plainKeys = new Set<string>();
const MAX_PLAIN_KEYS = 1_000;
const MAX_PLAIN_CHARS = 40;

function keepPlain(key: string): void {
  if (plainKeys.size >= MAX_PLAIN_KEYS || key.length > MAX_PLAIN_CHARS || /^value$/i.test(key)) return;
  plainKeys.add(key);
}

function cutMark(length: number): string {
  return `[… ${withCommas(length - MAX_ELEMENTS)} more cut by c-mem …]`;
}

function normalised(key: string): string {
  const words = key.replace(/([a-z0-9])([A-Z])/g, "$1-$2").toLowerCase();
  return words
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "")
    .slice(-40);
}
