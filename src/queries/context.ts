// The context block an agent would get at session start now.
import { findPlace, identifyProject } from "../capture/project.ts";
import { readRefLog } from "../capture/ref-log.ts";
import { describeTree } from "../capture/work-tree.ts";
import { loadSettings } from "../config/load.ts";
import { parseSetting, SETTING_KEYS, type SettingKey, type Settings } from "../config/schema.ts";
import { AppError } from "../core/error.ts";
import { oneLine } from "../core/text.ts";
import { buildContext, type ContextBlock, EMPTY_CONTEXT } from "../recall/inject/session-context.ts";
import { findProject, type ProjectRow, projectsNamed } from "../store/tables/projects.ts";
import { type Asked, legacyRange } from "./legacy.ts";
import type { Answer, Json } from "./envelope.ts";
import { readRange } from "./scope.ts";

/** Settings that can be tried before they are saved. */
export const CONTEXT_KEYS = SETTING_KEYS.filter((key) => /^context(?!Message)/.test(key));

/** Of the named project, or of the current one. */
export function answerContext(asked: Asked, name: string | undefined): Answer & { block: ContextBlock } {
  const { project, here, answer } = readContext(asked, name);
  if (name !== undefined && project === undefined)
    throw new AppError("nothing_found", `No project "${oneLine(name, 80)}".`, {
      hint: "`c-mem projects` lists the projects, `c-mem sync` brings in earlier sessions.",
    });
  if (answer.block.text !== "") return answer;
  const days = asked.flags["days"];
  const span = days === undefined ? "yet" : `in the last ${Number(days) === 1 ? "day" : `${Number(days)} days`}`;
  throw new AppError("nothing_found", `Nothing is remembered of ${name ?? here} ${span}.`, {
    hint:
      days === undefined
        ? "`c-mem sync` brings in earlier sessions; `c-mem status` shows what there is."
        : "Give more --days, or leave it out for everything.",
  });
}

/** Empty if nothing is stored: an editor then starts its session without context. */
export function contextOrEmpty(asked: Asked, name: string | undefined): Answer & { block: ContextBlock } {
  return readContext(asked, name).answer;
}

interface Read {
  project: ProjectRow | undefined;
  here: string;
  answer: Answer & { block: ContextBlock };
}

function readContext(asked: Asked, name: string | undefined): Read {
  const { db, flags } = asked;
  const { project, here, tree, settings } = findSubject(asked, name);
  const request = {
    source: (flags["source"] as string | undefined) ?? "startup",
    settings: { ...settings, ...overrides(flags) },
    tree,
    since: readRange({ days: legacyRange(flags).days }, db).since,
    now: Date.now(),
  };
  const block = project === undefined ? EMPTY_CONTEXT : buildContext(db, { ...request, project });
  const { text, items, tokens, stale } = block;
  const named = project === undefined ? null : { key: project.key, name: project.name };
  return { project, here, answer: { data: { project: named, text, items, chars: text.length, tokens, stale }, block } };
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
    return { project: projectsNamed(db, name ?? "")[0], here: name ?? "", tree: undefined, settings: loaded.values };
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
