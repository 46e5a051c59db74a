// Takes out of a text what was marked as not to be remembered: private elements, and context that was injected.

/** A text with more elements than this is hostile or broken; the rest of it is dropped. */
const MAX_PAIRS = 100;

// A name ends where a tag name would: `<privateKey>` and `<private-foo>` are other tags.
const TAG = /<(\/?)(private|c-mem-context|claude-mem-context|system-reminder)(?![\w.:-])/iy;
const AFTER_OPEN = "/pcsPCS";

/**
 * Removes the elements with their content. An element ends when every name opened in it is closed, so a close of one
 * name never ends another; what is never closed runs to the end of the text. In doubt more is removed, never less.
 */
export function stripPrivate(text: string): string {
  return strip(text).kept;
}

/**
 * Whether somebody asked for all of this text to be forgotten: it has a `<private>` element, and nothing but whitespace
 * outside of one. A text of injected context alone is empty, but nobody's secret.
 */
export function isWhollyPrivate(text: string): boolean {
  const { kept, sawPrivate } = strip(text);
  return sawPrivate && kept.trim() === "";
}

function strip(text: string): { kept: string; sawPrivate: boolean } {
  const first = nextTag(text, 0);
  if (first === undefined) return { kept: text, sawPrivate: false };
  const pieces: string[] = [];
  const open = new Map<string, number>();
  let sawPrivate = false;
  let pairs = 0;
  let from = 0;
  for (let tag: RegExpExecArray | undefined = first; tag !== undefined; tag = nextTag(text, from)) {
    const [, slash, spelled = ""] = tag;
    const name = spelled.toLowerCase();
    const end = tagEnd(text, tag.index + tag[0].length);
    const wasOpen = open.size > 0;
    if (!wasOpen) pieces.push(text.slice(from, tag.index));
    from = end;
    if (slash === "/") {
      close(open, name);
    } else if (!text.endsWith("/>", end)) {
      open.set(name, (open.get(name) ?? 0) + 1);
      sawPrivate ||= name === "private";
    }
    if (wasOpen && open.size === 0 && ++pairs === MAX_PAIRS) from = text.length;
  }
  if (open.size === 0) pieces.push(text.slice(from));
  return { kept: dropSeam(pieces.join("")), sawPrivate };
}

/** From one `<` to the next: an expression for all of it takes five times as long. */
function nextTag(text: string, from: number): RegExpExecArray | undefined {
  for (let at = text.indexOf("<", from); at >= 0; at = text.indexOf("<", at + 1)) {
    if (!AFTER_OPEN.includes(text.charAt(at + 1))) continue;
    TAG.lastIndex = at;
    const tag = TAG.exec(text);
    if (tag !== null) return tag;
  }
  return undefined;
}

/** Where the tag's `>` leaves off; the end of the text if it is cut off before. A quoted value may hold a `>`. */
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

/** `<pri<private/>vate>` leaves a tag behind when the inner one goes: nothing from there on is kept. */
function dropSeam(kept: string): string {
  return kept.slice(0, nextTag(kept, 0)?.index);
}
