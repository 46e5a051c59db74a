// Changes one setting in the user's file and keeps the rest of the file.
import { nearestWord } from "../core/edit-distance.ts";
import { AppError } from "../core/error.ts";
import { replaceJson } from "../platform/replace-file.ts";
import { explainJson } from "./json-error.ts";
import { parseWords } from "./list.ts";
import { readSettingsFile } from "./load.ts";
import {
  ineffectiveItems,
  isListKey,
  parseSetting,
  readSetting,
  SETTING_KEYS,
  SETTINGS,
  type SettingKey,
  type Settings,
} from "./schema.ts";

export function findSettingKey(name: string): SettingKey {
  const key = SETTING_KEYS.find((one) => one === name);
  if (key !== undefined) return key;
  const meant = nearestWord(name, SETTING_KEYS);
  const hint = meant === undefined ? "`c-mem config` lists them." : `Did you mean ${meant}?`;
  throw new AppError("usage", `Unknown setting "${name}".`, { hint });
}

/** The value in `config set <key> <words...>`: a list with an item per word, or one text. */
export function joinWords(key: SettingKey, words: readonly string[]): unknown {
  const text = words.join(" ");
  return isListKey(key) ? (parseWords(words) ?? text) : text;
}

/** Throws for a list item that would have no effect. */
export function rejectIneffective(key: SettingKey, raw: unknown): void {
  const [first] = ineffectiveItems(key, parseSetting(key, raw));
  if (first === undefined) return;
  throw new AppError("usage", `${key}: "${first.item}" ${first.problem}.`, {
    hint: `${SETTINGS[key].hasPaths ? "A path with a comma in it: use JSON, e.g. '[\"/a,b\"]'. " : ""}${SETTINGS[key].about}`,
  });
}

/** `raw`: a text as typed ("true", "5", "a,b", JSON) or a value as in the file. Undefined restores the default. */
export function writeSetting(path: string, key: SettingKey, raw: unknown): void {
  writeSettings(path, { [key]: raw });
}

/** Writes all or none. Between two writes, a new provider would be used with the old one's URL and key. */
export function writeSettings(path: string, changes: Partial<Record<SettingKey, unknown>>): void {
  const settings = readSettingsFile(path, explainJson);
  if (typeof settings === "string") {
    throw new AppError("bad_config", `${settings}.`, { hint: "Fix it by hand, or delete it." });
  }
  for (const [key, raw] of Object.entries(changes) as [SettingKey, unknown][]) {
    if (raw === undefined) delete settings[key];
    else settings[key] = parseOrThrow(key, raw);
  }
  replaceJson(path, settings);
}

export function parseOrThrow<K extends SettingKey>(key: K, raw: unknown): Settings[K] {
  const value = parseSetting(key, raw);
  if (value === undefined) throw new AppError("usage", invalidMessage(key, raw), { hint: hintFor(key) });
  const problem = typeof value === "string" ? SETTINGS[key].problem?.(value) : undefined;
  if (problem !== undefined) throw new AppError("usage", `${key} ${problem}.`, { hint: hintFor(key) });
  return value;
}

function invalidMessage(key: SettingKey, raw: unknown): string {
  const [item] = readSetting(key, raw).rejected;
  const text = item ?? (typeof raw === "string" ? raw : JSON.stringify(raw));
  return `Invalid value "${text}" for ${key}.`;
}

function hintFor(key: SettingKey): string {
  const { about, oneOf, min, max } = SETTINGS[key];
  if (oneOf !== undefined) return `${isListKey(key) ? "Any" : "One"} of: ${oneOf.join(", ")}.`;
  if (isListKey(key)) return `A list: comma-separated, several words, or JSON. ${about}`;
  if (min !== undefined && max !== undefined) return `From ${min} to ${max}. ${about}`;
  return about;
}
