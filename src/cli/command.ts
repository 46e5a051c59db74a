// A command as the command line runs it: made from a query, or written for things that are not a question (install, sync, worker).
import { resolvePaths } from "../config/paths.ts";
import { oneLine } from "../core/text.ts";
import { fields, type Fields, type InputOf } from "../queries/fields.ts";
import type { AnyQuery, QueryContext } from "../queries/query.ts";
import type { Db } from "../store/db/driver.ts";
import { projectsNamed } from "../store/tables/projects.ts";
import { EXIT, print, printAnswer, say } from "./output.ts";
import { type StoreOptions, withStoreAsync } from "./store.ts";

export const YES = fields({ yes: { kind: "flag", short: "y", about: "do not ask" } });
export const DRY_RUN = fields({ dryRun: { kind: "flag", about: "show what would change, change nothing" } });

export interface Command<F extends Fields = Fields> {
  /** A verb phrase of at most 60 characters. */
  about: string;
  /** Sentences below the options in help. */
  details?: string;
  fields: F;
  /** Opens the database, so it needs a Node that has SQLite. */
  needsStore?: true;
  run(input: InputOf<F>, options: { json: boolean }): number | Promise<number>;
}

export function defineCommand<const F extends Fields>(command: Command<F>): Command {
  return command as unknown as Command;
}

interface CommandOfOptions {
  /** Leaves the worker alone: for a command that reports on it. */
  startsWorker?: boolean;
  /** False for a query that reads no rows. */
  opensStore?: boolean;
}

/** Runs the query on the store and prints its JSON or its text. */
export function commandOf(query: AnyQuery, { startsWorker = true, opensStore = true }: CommandOfOptions = {}): Command {
  const { name, about, details, run, text } = query;
  const answer = async (input: InputOf<Fields>, json: boolean, context: QueryContext): Promise<number> => {
    const result = await run(input, context);
    if (json || text === undefined) printAnswer(name, result);
    else printText(text, result, { input, db: context.db });
    return result.exitCode ?? EXIT.ok;
  };
  return {
    about,
    ...(details !== undefined && { details }),
    fields: query.fields,
    ...(opensStore && { needsStore: true }),
    run: (input, { json }) =>
      opensStore
        ? onStore(input, (context) => answer(input, json, context), { onlyLook: !startsWorker })
        : answer(input, json, contextWithoutStore()),
  };
}

function contextWithoutStore(): QueryContext {
  const env = process.env;
  // Only for queries that do not touch it.
  return { db: undefined as unknown as Db, paths: resolvePaths(env), env, cwd: process.cwd() };
}

function printText(
  text: NonNullable<AnyQuery["text"]>,
  result: Parameters<NonNullable<AnyQuery["text"]>>[0],
  view: { input: InputOf<Fields>; db: Db },
): void {
  const notes: string[] = [];
  const body = text(result, { ...view, header: say, note: (note) => void notes.push(note) });
  if (body !== "") print(body);
  for (const note of notes) say(note);
}

export interface StoreContext {
  db: Db;
  paths: ReturnType<typeof resolvePaths>;
  env: NodeJS.ProcessEnv;
  cwd: string;
}

/** Opens the store; says which project was chosen if the name matches several. */
export function onStore<T>(
  { project }: { project?: unknown },
  work: (context: StoreContext) => Promise<T> | T,
  options: StoreOptions = {},
): Promise<T> {
  const env = process.env;
  const paths = resolvePaths(env);
  return withStoreAsync(
    paths,
    async (db) => {
      sayWhichProject(db, project);
      return await work({ db, paths, env, cwd: process.cwd() });
    },
    options,
  );
}

export function sayWhichProject(db: Db, name: unknown): void {
  const [chosen, ...others] = typeof name === "string" ? projectsNamed(db, name) : [];
  if (chosen === undefined || others.length === 0) return;
  const keys = others.map(({ key }) => oneLine(key, 80)).join(", ");
  say(`Using ${oneLine(chosen.key, 80)}. Other projects with this name, by key: ${keys}`);
}
