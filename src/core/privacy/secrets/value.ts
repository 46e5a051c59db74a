// Reads the value that follows a label.
import type { Label } from "./labels.ts";
import type { View } from "./view.ts";

export interface Place {
  text: string;
  label: Label;
  view: View;
  /** The line up to the label, from the start of a string that the label is in. */
  before: string;
  /** The whole line up to the label. */
  line: string;
}

/** Finds values in one notation. Undefined: the text has another notation. `[]`: the value is not a credential. */
export type Finder = (place: Place) => Value[] | undefined;

export interface Value {
  /** Index in the view. */
  start: number;
  end: number;
  text: string;
  isQuoted: boolean;
}

/** The end of a sticky pattern's match at this place. */
export function endOfMatch(pattern: RegExp, text: string, place: number): number | undefined {
  pattern.lastIndex = place;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** The last matched group. The pattern needs the flag "d"; `place` is where the searched text starts. */
export function captured(match: RegExpExecArray, isQuoted: boolean, place = 0): Value {
  const [start, end] = match.indices?.findLast((group) => group !== undefined) ?? [0, 0];
  return {
    start: place + start,
    end: place + end,
    text: match.findLast((group) => group !== undefined) ?? "",
    isQuoted,
  };
}

const MAX_CHARS = 300;
const OPEN = /(?:[bBrRuUfFLN@$]{1,2}(?=["']))?("""|'''|["'`])/y;

/** The quoted value at this place of the view. */
export function quotedAt(view: View, place: number | undefined): Value | undefined {
  OPEN.lastIndex = place ?? Infinity;
  const quote = OPEN.exec(view.text)?.[1];
  if (quote === undefined) return undefined;
  const start = OPEN.lastIndex;
  const width = widthOf(view, start - 1);
  for (let at = start; at < view.text.length && at - start <= MAX_CHARS; at++) {
    const character = view.text[at];
    if (character === "\n" && quote.length === 1) break;
    if (character === "\\") at++;
    else if (view.text.startsWith(quote, at) && widthOf(view, at) === width) {
      // SQL and C# escape a quotation mark by doubling it: 'it''s'.
      if (
        quote.length === 1 &&
        quote !== "`" &&
        at > start &&
        view.text.startsWith(quote, at + 1) &&
        /^\p{L}/u.test(view.text.slice(at + 2))
      )
        at++;
      else return { start, end: at, text: view.text.slice(start, at), isQuoted: true };
    }
  }
  return undefined;
}

/** Length of this character in the original text: an escaped quotation mark has two or more. */
function widthOf(view: View, place: number): number {
  return view.endOf(place + 1) - view.startOf(place);
}

/** The unquoted value up to a space, without the punctuation of a sentence. */
export function bareAt(view: View, place: number, isInQuotes: boolean): Value | undefined {
  const found = /^\S{1,300}/.exec(view.text.slice(place, place + MAX_CHARS))?.[0];
  if (found === undefined) return undefined;
  // "abc..." is a shortened value; keep its dots.
  const text = /\.{3}|…/.test(found) ? found : trimmed(found, isInQuotes);
  return text === "" ? undefined : { start: place, end: place + text.length, text, isQuoted: false };
}

/** The quoted value at this place of the view, or else the bare one. */
export function valueAt(view: View, place: number | undefined, isInQuotes = false): Value | undefined {
  if (place === undefined) return undefined;
  return quotedAt(view, place) ?? bareAt(view, place, isInQuotes);
}

const ENDS = [
  /;/, // a=b;c=d
  /&(?=[\w.-]{1,40}=)/, // a=b&c=d
  /,(?=$|["'\s]|[\w.-]{1,40}[=:])/,
  /<(?=\/|[a-z]+[ >]|br)/i,
  /\|$/,
  /[，。；！？、）】」]/,
];

function trimmed(token: string, isInQuotes: boolean): string {
  let text = token;
  for (const end of ENDS) {
    const at = text.search(end);
    if (at > 0) text = text.slice(0, at);
  }
  const quote = text.search(isInQuotes ? /["'`]/ : /["'`](?=[\s,;)\]}]|$)/);
  if (quote > 0) text = text.slice(0, quote);
  // A closing bracket without an opening one is not part of the value.
  for (const [open, close] of ["()", "[]", "{}"] as const) {
    const at = text.indexOf(close as string);
    if (at > 0 && !text.slice(0, at).includes(open as string)) text = text.slice(0, at);
  }
  return text.replace(/[.,:*]+$|\*{2}$/, "");
}

/** Matches " for the database" in "password for the database". */
export const OWNER = String.raw`(?:[ \t](?:for|of|on|at|to|für|pour|de|del|do|da|para|per|от|для|к|vom|zum|zur|du|des)[ \t][^\n:=.,;(){}]{1,50}?)?`;
