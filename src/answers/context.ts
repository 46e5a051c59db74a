// The block an agent gets at session start, as it would be told now.
import { findPlace, identifyProject } from "../capture/project.ts";
import { readRefLog } from "../capture/ref-log.ts";
import { describeTree } from "../capture/work-tree.ts";
import { loadSettings } from "../config/load.ts";
import { parseSetting, SETTING_KEYS, type SettingKey, type Settings } from "../config/schema.ts";
import { AppError } from "../core/error.ts";
import { buildContext, type ContextBlock } from "../recall/context.ts";
import { findProject, findProjectByName, type ProjectRow } from "../store/projects.ts";
import type { Asked } from "./asked.ts";
import type { Answer, Json } from "./envelope.ts";

/** What `context` can be tried with before it is saved. */
export const CONTEXT_KEYS = SETTING_KEYS.filter((key) => /^context(?!Message)/.test(key));

/** Of the named project, or of the one where one stands. */
export function answerContext(asked: Asked, name: string | undefined): Answer & { block: ContextBlock } {
  const { db, flags } = asked;
  const { project, here, tree, settings } = findSubject(asked, name);
  const block =
    project &&
    buildContext(db, {
      project,
      source: (flags["source"] as string | undefined) ?? "startup",
      settings: { ...settings, ...overrides(flags) },
      tree,
      now: Date.now(),
    });
  if (project === undefined || block === undefined || block.text === "") {
    throw new AppError("nothing_found", `Nothing is remembered of ${name ?? here} yet.`, {
      hint: "`c-mem sync` brings in earlier sessions; `c-mem status` shows what there is.",
    });
  }
  const { text, items, tokens, stale } = block;
  const { key, name: called } = project;
  return { data: { project: { key, name: called }, text, items, chars: text.length, tokens, stale }, block };
}

interface Subject {
  project: ProjectRow | undefined;
  here: string;
  tree: ReturnType<typeof describeTree> | undefined;
  settings: Settings;
}

function findSubject({ db, paths, env, cwd }: Asked, name: string | undefined): Subject {
  if (name === undefined && cwd === undefined) throw new AppError("usage", "Of which project?");
  const place = cwd === undefined ? undefined : findPlace(cwd);
  const loaded = loadSettings({ user: paths.config, project: place?.projectFiles ?? [] }, env);
  // Another project's files are not here to be looked at.
  if (name !== undefined || place === undefined)
    return { project: findProjectByName(db, name ?? ""), here: name ?? "", tree: undefined, settings: loaded.values };
  const here = identifyProject(place, loaded);
  const tree = describeTree(place, undefined, readRefLog(place));
  return { project: findProject(db, here.key), here: here.name, tree, settings: loaded.values };
}

function overrides(flags: Json): Partial<Settings> {
  const given = CONTEXT_KEYS.filter((key) => flags[key] !== undefined);
  return Object.fromEntries(given.map((key) => [key, readOverride(key, flags[key])]));
}

function readOverride(key: SettingKey, raw: unknown): unknown {
  const value = parseSetting(key, raw);
  if (value !== undefined) return value;
  throw new AppError("usage", `"${String(raw)}" does not fit ${key}.`, { hint: "`c-mem config` says what does." });
}
