// Changes one setting in the user's file and leaves the rest of it as it is.
import { existsSync } from "node:fs";
import { AppError } from "../core/error.ts";
import { replaceFile } from "../platform/replace-file.ts";
import { suggestKey } from "./check.ts";
import { explainJson } from "./json-error.ts";
import { parseWords } from "./list.ts";
import { readText } from "../platform/read-file.ts";
import {
  doubtfulItems,
  isListKey,
  parseSetting,
  readSetting,
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
} from "./schema.ts";

export function findSettingKey(name: string): SettingKey {
  const key = SETTING_KEYS.find((one) => one === name);
  if (key !== undefined) return key;
  const meant = suggestKey(name);
  const hint = meant === undefined ? "`c-mem config` lists them." : `Did you mean ${meant}?`;
  throw new AppError("usage", `There is no setting "${name}".`, { hint });
}

/** What `config set <key> <words...>` means: of a list each word is an item, of anything else they are one text. */
export function joinWords(key: SettingKey, words: readonly string[]): unknown {
  const text = words.join(" ");
  return isListKey(key) ? (parseWords(words) ?? text) : text;
}

/** Refuses items that would not do what they seem to: they are easiest to correct when they are set. */
export function refuseDoubtful(key: SettingKey, raw: unknown): void {
  const [first] = doubtfulItems(key, parseSetting(key, raw));
  if (first === undefined) return;
  throw new AppError("usage", `${key}: "${first.item}" ${first.problem}.`, {
    hint: `${SETTINGS[key].hasPaths ? "A path with a comma in it: use JSON, e.g. '[\"/a,b\"]'. " : ""}${SETTINGS[key].about}`,
  });
}

/** `raw` as typed: a word, a number, a comma-separated list, or JSON; or as the file has it. Undefined: the default again. */
export function writeSetting(path: string, key: SettingKey, raw: unknown): void {
  const settings = readForWriting(path);
  if (raw === undefined) delete settings[key];
  else {
    const value = parseSetting(key, raw);
    if (value === undefined) throw new AppError("usage", misfit(key, raw), { hint: hintFor(key) });
    settings[key] = value;
  }
  replaceFile(path, `${JSON.stringify(settings, null, 2)}\n`);
}

function readForWriting(path: string): Record<string, unknown> {
  if (!existsSync(path)) return {};
  const text = (readText(path) ?? "").replace(/^\uFEFF/, "");
  let problem = "is not a JSON object";
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    problem = text.trim() === "" ? "is empty" : `is not valid JSON: ${explainJson(text)}`;
  }
  throw new AppError("bad_config", `${path} ${problem}.`, { hint: "Fix it by hand, or delete it." });
}

function misfit(key: SettingKey, raw: unknown): string {
  const [item] = readSetting(key, raw).rejected;
  const text = item ?? (typeof raw === "string" ? raw : JSON.stringify(raw));
  return `"${text}" does not fit ${key}.`;
}

function hintFor(key: SettingKey): string {
  const { about, oneOf, min, max } = SETTINGS[key];
  if (oneOf !== undefined) return `${isListKey(key) ? "Any" : "One"} of: ${oneOf.join(", ")}.`;
  if (isListKey(key)) return `A list: JSON, words with commas between, or several words. ${about}`;
  if (min !== undefined && max !== undefined) return `From ${min} to ${max}. ${about}`;
  return about;
}
