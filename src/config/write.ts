// Changes one setting in the user's file and leaves the rest of it as it is.
import { chmodSync, existsSync, mkdirSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { AppError } from "../core/error.ts";
import { readText } from "./read.ts";
import { parseSetting, SETTING_KEYS, SETTINGS, type SettingKey } from "./schema.ts";

export function findSettingKey(name: string): SettingKey {
  const key = SETTING_KEYS.find((one) => one === name);
  if (key !== undefined) return key;
  throw new AppError("usage", `There is no setting "${name}".`, { hint: "`c-mem config` lists them." });
}

/** `raw` as typed: a word, a number, a comma-separated list, or JSON; or a list as it is. Undefined: the default again. */
export function writeSetting(path: string, key: SettingKey, raw: string | readonly string[] | undefined): void {
  const settings = readForWriting(path);
  if (raw === undefined) delete settings[key];
  else {
    const value = parseSetting(key, raw);
    if (value === undefined)
      throw new AppError("usage", `"${String(raw)}" does not fit ${key}.`, { hint: hintFor(key) });
    settings[key] = value;
  }
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // Renamed into place: whoever reads meanwhile sees the old file or the new one.
  writeFileSync(`${path}.new`, `${JSON.stringify(settings, null, 2)}\n`, { mode: 0o600 });
  chmodSync(`${path}.new`, 0o600);
  renameSync(`${path}.new`, path);
}

function readForWriting(path: string): Record<string, unknown> {
  if (!existsSync(path)) return {};
  try {
    const value: unknown = JSON.parse(readText(path) ?? "");
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {
    // Said below.
  }
  throw new AppError("bad_config", `${path} is not a JSON object.`, { hint: "Mend it by hand, or delete it." });
}

function hintFor(key: SettingKey): string {
  const { about, oneOf, min, max } = SETTINGS[key];
  if (oneOf !== undefined) return `One of: ${oneOf.join(", ")}.`;
  if (min !== undefined && max !== undefined) return `From ${min} to ${max}. ${about}`;
  return about;
}
