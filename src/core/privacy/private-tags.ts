// Removes `<private>` elements and injected context from text before it is stored.

const NAMES: ReadonlySet<string> = new Set(["private", "c-mem-context", "claude-mem-context", "system-reminder"]);
const LONGEST_NAME = Math.max(...[...NAMES].map((name) => name.length));
/** Invisible characters, such as a zero-width space. A tag that contains one still looks like a tag. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{M}]/u;

const MAY_FOLLOW_OPEN = /[/pcs\s\u0080-\uffff]/i;

interface Tag {
  name: string;
  isClose: boolean;
  start: number;
  nameEnd: number;
}

/**
 * Removes the elements with their content. An element ends when every name opened in it is closed; an unclosed one runs
 * to the end of the text. In doubt, more is removed.
 */
export function stripPrivate(text: string): string {
  return strip(text).kept;
}

/**
 * Removes elements from a list of lines; an element may span items. If one is not closed, returns the list unchanged:
 * `stripPrivate` then handles each line alone.
 */
export function stripPrivateItems(items: readonly unknown[]): readonly unknown[] {
  const open = new Map<string, number>();
  const kept = items.map((item) => (typeof item === "string" ? strip(item, open).kept : item));
  return open.size === 0 ? kept : items;
}

/** True if the text has a `<private>` element, and otherwise only whitespace and injected context. */
export function isWhollyPrivate(text: string): boolean {
  const { kept, sawPrivate } = strip(text);
  return sawPrivate && kept.trim() === "";
}

/** `open` counts the open elements by name: at the start of the text, and after the call at its end. */
function strip(text: string, open = new Map<string, number>()): { kept: string; sawPrivate: boolean } {
  const plain = halfWidth(text);
  const first = nextTag(plain, 0);
  if (first === undefined) return { kept: open.size === 0 ? text : "", sawPrivate: false };
  const pieces: string[] = [];
  let sawPrivate = false;
  let from = 0;
  for (let tag: Tag | undefined = first; tag !== undefined; tag = nextTag(plain, from)) {
    const { name, isClose, start, nameEnd } = tag;
    const end = tagEnd(plain, nameEnd);
    if (open.size === 0) pieces.push(text.slice(from, start));
    from = end;
    if (isClose) {
      close(open, name);
    } else if (!plain.endsWith("/>", end)) {
      open.set(name, (open.get(name) ?? 0) + 1);
      sawPrivate ||= name === "private";
    }
  }
  if (open.size === 0) pieces.push(text.slice(from));
  return { kept: dropJoinedTag(pieces.join("")), sawPrivate };
}

/** `＜ｐrivate＞` from a Chinese or Japanese keyboard -> `<private>`, of the same length. */
function halfWidth(text: string): string {
  if (!/[！-～]/.test(text)) return text;
  return text.replace(/[！-～]/g, (wide) => String.fromCharCode(wide.charCodeAt(0) - 0xfee0));
}

/** A regular expression would take five times as long, and milliseconds to compile. */
function nextTag(text: string, from: number): Tag | undefined {
  for (let at = text.indexOf("<", from); at >= 0; at = text.indexOf("<", at + 1)) {
    if (!MAY_FOLLOW_OPEN.test(text.charAt(at + 1))) continue;
    const tag = tagAt(text, at);
    if (tag !== undefined) return tag;
  }
  return undefined;
}

function tagAt(text: string, start: number): Tag | undefined {
  let at = skipGap(text, start + 1);
  const isClose = text.charCodeAt(at) === SLASH;
  if (isClose) at = skipGap(text, at + 1);
  let name = "";
  for (; name.length <= LONGEST_NAME; at++) {
    const visibleAt = skipInvisible(text, at);
    // The name may end at an invisible character: `<private\u200bKey>` is a private tag.
    if (visibleAt > at && NAMES.has(name.toLowerCase())) break;
    at = visibleAt;
    const code = text.charCodeAt(at);
    if (!isLetter(code) && code !== HYPHEN) break;
    name += text.charAt(at);
  }
  name = name.toLowerCase();
  // `<privateKey>` and `<private-foo>` are other tags.
  if (!NAMES.has(name) || /[\w.:]/.test(text.charAt(at))) return undefined;
  const isSpaced = /\s/.test(text.slice(start, at));
  return isSpaced && !isSpacedTag(text, at) ? undefined : { name, isClose, start, nameEnd: at };
}

/** `< private>` and `< private reason="x">` are tags; `a < private && b` is a comparison. */
function isSpacedTag(text: string, nameEnd: number): boolean {
  const after = skipGap(text, nameEnd);
  if (after === text.length || /[>/]/.test(text.charAt(after))) return true;
  if (!/[\p{L}_"']/u.test(text.charAt(after))) return false;
  const mark = /[<>=]/g;
  mark.lastIndex = after;
  return /[>=]/.test(mark.exec(text)?.[0] ?? "");
}

const SLASH = 0x2f;
const HYPHEN = 0x2d;

function isLetter(code: number): boolean {
  return (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a);
}

function skipInvisible(text: string, from: number): number {
  let at = from;
  for (let width = invisibleAt(text, at); width > 0; width = invisibleAt(text, at)) at += width;
  return at;
}

function skipGap(text: string, from: number): number {
  let at = from;
  for (;;) {
    const width = invisibleAt(text, at) || (/\s/.test(text.charAt(at)) ? 1 : 0);
    if (width === 0) return at;
    at += width;
  }
}

/** UTF-16 units of the invisible character at this place; 0 for a visible one. */
function invisibleAt(text: string, at: number): number {
  if (!(text.charCodeAt(at) > 0x7f)) return 0;
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return INVISIBLE.test(character) ? character.length : 0;
}

/** The index after the tag's `>`, or the end of the text. A quoted value may contain a `>`. */
function tagEnd(text: string, from: number): number {
  const mark = />|=\s*["']/g;
  mark.lastIndex = from;
  for (let found = mark.exec(text); found !== null; found = mark.exec(text)) {
    if (found[0] === ">") return mark.lastIndex;
    const quote = text.indexOf(found[0].slice(-1), mark.lastIndex);
    if (quote < 0) break;
    mark.lastIndex = quote + 1;
  }
  return text.length;
}

function close(open: Map<string, number>, name: string): void {
  const depth = open.get(name) ?? 0;
  if (depth > 1) open.set(name, depth - 1);
  else open.delete(name);
}

/** Removing the inner tag of `<pri<private/>vate>` creates a new tag. Cuts the text there. */
function dropJoinedTag(kept: string): string {
  return kept.slice(0, nextTag(halfWidth(kept), 0)?.start);
}
