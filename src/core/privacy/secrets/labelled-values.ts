// Finds credentials after a label such as "password", in any notation.
import { afterSign, defaultOfReference } from "./signed-values.ts";
import { type Label, labelAt } from "./labels.ts";
import {
  optionValue,
  attributeBefore,
  setterCall,
  nextCell,
  markupElement,
  nameAndValue,
  fallback,
  nameThenValue,
  formPart,
  inSentence,
} from "./unsigned-values.ts";
import type { Finder, Place } from "./value.ts";
import { columnValues } from "./columns.ts";
import type { SecretRange } from "./secret.ts";
import { viewOf } from "./view.ts";

/** Characters after the label that are searched for its value. */
const VIEW_CHARS = 480;
const NEAR_CHARS = 200;
/** Starts of a block, a list, an element or a value on the next line. They need VIEW_CHARS, others NEAR_CHARS. */
const FAR = /[|>{[<\n\\]/;
const BEFORE_CHARS = 160;
const NAME = "credential";

/** Adds ranges to `found`. `words`: places of words that may be part of a label. */
export function labelledRanges(text: string, words: readonly number[], found: SecretRange[]): void {
  let from = -1;
  for (const word of words.toSorted((a, b) => a - b)) {
    if (word < from) continue;
    const label = labelAt(text, word);
    if (label === undefined) continue;
    from = label.end;
    for (const range of valuesOf(text, label)) {
      found.push(range);
      from = Math.max(from, range.end);
    }
  }
}

const FINDERS: readonly Finder[] = [
  defaultOfReference,
  afterSign,
  optionValue,
  nameThenValue,
  fallback,
  setterCall,
  nameAndValue,
  formPart,
  markupElement,
  nextCell,
  inSentence,
];

function valuesOf(text: string, label: Label): SecretRange[] {
  const lead = text.slice(Math.max(0, label.start - BEFORE_CHARS), label.start);
  const isFar = FAR.test(text.slice(label.end, label.end + 6)) || /["' :=]$/.test(lead);
  const view = viewOf(text, label.end, label.end + (isFar ? VIEW_CHARS : NEAR_CHARS));
  const line = lead.slice(lead.lastIndexOf("\n") + 1);
  const place: Place = { text, label, view, before: lineOf(lead), line };
  for (const find of FINDERS) {
    const values = find(place);
    if (values === undefined) continue;
    return values.map(({ start, end }) => ({ start: view.startOf(start), end: view.endOf(end), name: NAME }));
  }
  return columnValues(text, label).concat(attributeBefore(place));
}

/** The prefix that grep prints: `src/a.ts:12:`. */
const FILE_LEAD = /^[\w./@-]{1,120}:\d{1,6}[:-](?:\d{1,4}:)?/;
// oxlint-disable-next-line no-control-regex
const LINE_LEAD = /^[ \t]{0,8}\d{1,6}(?:→|\t|[ \t]?[|│])|^[+-](?![+-])|\x1b\[[\d;]*m/g;

function lineOf(before: string): string {
  const escaped = before.lastIndexOf("\\n");
  const start = Math.max(before.lastIndexOf("\n") + 1, escaped < 0 ? 0 : escaped + 2);
  const line = before.slice(start);
  // If the label is in a string, the line starts where the string starts.
  const opened = /[:,[{(=]\s*\\{0,3}["'`](?=(?:[ \t]*\d{1,6}[→\t])?\s*$)/.exec(line);
  return (opened === null ? line : line.slice(opened.index + opened[0].length))
    .replace(FILE_LEAD, "")
    .replace(LINE_LEAD, "");
}
