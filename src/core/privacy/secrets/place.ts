// Where a label stands, and what a finder of values says of it.
import type { Label } from "./labels.ts";
import { type Evidence, isCredential, type Value } from "./values.ts";
import type { View } from "./view.ts";

export interface Place {
  text: string;
  label: Label;
  view: View;
  /** What stands before the label in its line. */
  before: string;
  /** The same, where it is not cut at the beginning of a string. */
  line: string;
}

/** Each returns the values it found, `[]` where its notation is there and holds no credential, or undefined. */
export type Finder = (place: Place) => Value[] | undefined;

const SCHEME = /^(?:bearer|basic|token|digest|bot|apikey)\s+/i;

export function keep({ kind, name }: Label, value: Value, evidence: Evidence): Value[] {
  const scheme = SCHEME.exec(value.text)?.[0].length ?? 0;
  const rest = { ...value, start: value.start + scheme, text: value.text.slice(scheme) };
  const isPhrase = /phrase/i.test(name) && evidence === "literal" && /^[a-z]+(?:,? [a-z]+){2,}$/.test(rest.text);
  if (
    isPhrase &&
    !/\b(?:pass|enter|please|must|required?|the key|is)\b.*|passphrase/.test(rest.text.replace(/^\w+ is \w+ \w+$/, ""))
  )
    return [rest];
  // A constant's name is no label of a form: several words are its value.
  const isConstant = evidence === "literal" && /^[A-Z\d_]{4,}$/.test(name) && /\s/.test(rest.text);
  if (isConstant && isCredential("password", rest, "setting")) return [rest];
  return isCredential(kind, rest, evidence) ? [rest] : [];
}

export function nonEmpty(values: Value[]): Value[] | undefined {
  return values.length === 0 ? undefined : values;
}

/** "password for the database": whose it is. */
export const OWNER = String.raw`(?:[ \t](?:for|of|on|at|to|für|pour|de|del|do|da|para|per|от|для|к|vom|zum|zur|du|des)[ \t][^\n:=.,;(){}]{1,50}?)?`;
