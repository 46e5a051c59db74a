// c-mem __complete: candidates for the tab key. Prints no errors.
import { existsSync } from "node:fs";
import { AGENTS } from "../agents/spec.ts";
import { type Env, resolvePaths } from "../config/paths.ts";
import { ago, oneLine } from "../core/text.ts";
import type { Field } from "../queries/fields.ts";
import { effortStory, findEfforts } from "../recall/efforts/efforts.ts";
import { type Db, openDriver } from "../store/db/driver.ts";
import { listObservations } from "../store/reads/observation-list.ts";
import { recentSessionIds } from "../store/reads/session-list.ts";
import { listProjects } from "../store/tables/projects.ts";
import { COMMAND_GROUPS, COMMAND_NAMES, loadCommand } from "./commands.ts";
import { EXIT, print } from "./output.ts";
import { type Flag, flagsOf, positionsOf } from "./parse-args.ts";

interface Candidate {
  value: string;
  about: string;
}

const MAX_ABOUT_CHARS = 60;

/** The last word is the one being typed. */
export async function complete(words: readonly string[], env: Env): Promise<number> {
  for (const { value, about } of await findCandidates(words, env)) {
    print(`${oneLine(value, 200)}\t${oneLine(about, MAX_ABOUT_CHARS)}`);
  }
  return EXIT.ok;
}

async function findCandidates(words: readonly string[], env: Env): Promise<Candidate[]> {
  const typed = words.at(-1) ?? "";
  const [name, ...rest] = words.slice(0, -1);
  if (name === undefined) return startingWith(typed, await commandCandidates());
  const command = COMMAND_NAMES.includes(name) ? await loadCommand(name) : undefined;
  if (command === undefined || rest.includes("--")) return [];
  const flags = flagsOf(command.fields);
  const takesValue = (word: string | undefined): Flag | undefined =>
    flags.find(({ spellings, field }) => word !== undefined && field.kind !== "flag" && spellings.includes(word));
  const [, option, begun = ""] = /^(--[^=]+)=(.*)$/s.exec(typed) ?? [];
  if (option !== undefined) {
    const values = valuesOf(takesValue(option)?.field, begun, env);
    return values.map((one) => ({ ...one, value: `${option}=${one.value}` }));
  }
  const flag = takesValue(rest.at(-1));
  if (flag !== undefined) return valuesOf(flag.field, typed, env);
  if (typed.startsWith("-")) return startingWith(typed, optionCandidates(flags));
  const given = rest.filter((word, index) => !word.startsWith("-") && takesValue(rest[index - 1]) === undefined);
  const [first] = positionsOf(command.fields);
  return given.length > 0 ? [] : valuesOf(first?.[1], typed, env);
}

function startingWith(typed: string, candidates: readonly Candidate[]): Candidate[] {
  return candidates.filter(({ value }) => value.startsWith(typed));
}

async function commandCandidates(): Promise<Candidate[]> {
  const rows = COMMAND_GROUPS.flatMap(({ commands }) => Object.entries(commands));
  return await Promise.all(rows.map(async ([value, load]) => ({ value, about: (await load()).about })));
}

function optionCandidates(flags: readonly Flag[]): Candidate[] {
  const options = flags.map(({ spellings, field }) => ({ value: spellings[0] ?? "", about: field.about }));
  return [...options, { value: "--json", about: "print JSON" }, { value: "--help", about: "show help" }];
}

function valuesOf(field: Field | undefined, typed: string, env: Env): Candidate[] {
  if (field === undefined) return [];
  const { choices = [] } = field as { choices?: readonly string[] };
  const all = [...choices.map((value) => ({ value, about: "" })), ...knownValues(field.values, typed, env)];
  return startingWith(typed, all);
}

function knownValues(kind: Field["values"], typed: string, env: Env): Candidate[] {
  if (kind === undefined) return [];
  if (kind === "agents") return AGENTS.map(({ id, label }) => ({ value: id, about: label }));
  const path = resolvePaths(env).database;
  if (!existsSync(path)) return [];
  try {
    // Read-only, without drain and migration: the tab key must neither wait nor fail.
    const db = openDriver(path, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
    try {
      return STORED[kind](db, typed);
    } finally {
      db.close();
    }
  } catch {
    return [];
  }
}

const BUSY_TIMEOUT_MS = 100;
const MAX_SESSIONS = 50;
const MAX_EFFORTS = 20;

const STORED: Record<Exclude<Field["values"], undefined | "agents">, (db: Db, typed: string) => Candidate[]> = {
  projects(db) {
    const projects = listProjects(db);
    // If several projects have the same name, commands use the latest one.
    const named = projects.filter(({ name }, index) => projects.findIndex((one) => one.name === name) === index);
    return named.map(({ name, root }) => ({ value: name, about: root }));
  },
  sessions: (db, typed) =>
    recentSessionIds(db, typed, MAX_SESSIONS).map(({ session_id, title, last_at }) => ({
      value: session_id,
      about: `${ago(last_at, Date.now())}: ${title ?? "(untitled)"}`,
    })),
  observations: (db) =>
    listObservations(db, {}, MAX_SESSIONS).map(({ id, title }) => ({ value: `o${id}`, about: title })),
  efforts: (db) =>
    findEfforts(db)
      .slice(0, MAX_EFFORTS)
      .map((effort) => effortStory(db, effort))
      .map(({ id, title, lastAt }) => ({ value: id, about: `${ago(lastAt, Date.now())}: ${title}` })),
};
