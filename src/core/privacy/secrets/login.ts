// Rows for credentials that stand at a known place: behind a command's option, in a protocol, in a call.
import { once, type Secret } from "./secret.ts";
import { isHarmless } from "./values.ts";

export const WORD = "s3cr3t-Passw0rd";
export const VALUE = String.raw`(?:"([^"\n]{3,200})(?=")|'([^'\n]{3,200})(?=')|["']?([^\s"'|;&<>-][^\s"']{2,200}))`;

/** `sample` has a % where the password goes. */
export function login(hints: readonly string[], before: string, sample: string): Secret {
  return {
    name: "credential",
    hints,
    pattern: once(() => new RegExp(before + VALUE, "g")),
    sample: sample.replace(/%(?!%)/, WORD),
    accept: (_, value) => !isHarmless(value) && !PORTS.test(value),
  };
}

const PORTS = /^\d{1,5}(?::\d{1,5})?(?:\/\w+)?$/;

/** A call with a user's name and a password, both quoted. `first`: how many arguments stand before the password. */
export function call(hints: readonly string[], name: string, sample: string, first = 1): Secret {
  const argument = String.raw`(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[\w.$]{1,60})\s{0,4},\s{0,4}`;
  const open = name.endsWith("?") ? String.raw`\(\s{0,4}` : String.raw`\w{0,20}\(\s{0,4}`;
  const pattern = String.raw`${name}${open}${`${argument}`.repeat(first)}(?:Some\(\s{0,4})?(?:"([^"\n]{3,200})(?=")|'([^'\n]{3,200})(?='))`;
  return {
    name: "credential",
    hints,
    pattern: once(() => new RegExp(pattern, "gi")),
    sample: sample.replace(/%(?!%)/, WORD),
    accept: (_, value) => !isHarmless(value),
  };
}
