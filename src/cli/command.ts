// A command of the command line: made from a query, or with a function of its own (install, sync, worker).
import { type Paths, resolvePaths } from "../config/paths.ts";
import { oneLine } from "../core/text.ts";
import { fields, type Fields, type InputOf } from "../queries/fields.ts";
import type { AnyQuery, QueryContext } from "../queries/query.ts";
import type { Db } from "../store/db/driver.ts";
import { projectsNamed } from "../store/tables/projects.ts";
import { EXIT, print, printAnswer, say } from "./output.ts";
import { type StoreOptions, withStore } from "./store.ts";

export const YES = fields({ yes: { kind: "flag", short: "y", about: "do not ask" } });
export const DRY_RUN = fields({ dryRun: { kind: "flag", about: "show what would change, change nothing" } });

export interface Command<F extends Fields = Fields> {
  /** A verb phrase of at most 60 characters. */
  about: string;
  /** Printed below the options in help. */
  details?: string;
  fields: F;
  /** Opens the database, so it needs a Node that has SQLite. */
  needsStore?: true;
  /** Returns the exit code. */
  run(input: InputOf<F>, invocation: Invocation): number | Promise<number>;
}

export interface Invocation {
  /** With --json. */
  json: boolean;
  paths: Paths;
  env: NodeJS.ProcessEnv;
}

export function defineCommand<const F extends Fields>(command: Command<F>): Command {
  return command as unknown as Command;
}

/** A command that only runs a query. */
export function commandOf(query: AnyQuery, options: RunOptions = {}): Command {
  const { about, details, fields: table } = query;
  return {
    about,
    ...(details !== undefined && { details }),
    fields: table,
    needsStore: true,
    run: (input, invocation) => runQuery(query, input, invocation, options),
  };
}

interface RunOptions {
  /** False for a query that reports on the worker. */
  startsWorker?: boolean;
  /** False for a query that reads no rows. */
  opensStore?: boolean;
}

/** Prints the JSON or the text of a query's result. */
export function runQuery(
  { name, run, text }: AnyQuery,
  input: Record<string, unknown>,
  { json, paths, env }: Invocation,
  { startsWorker = true, opensStore = true }: RunOptions = {},
): Promise<number> {
  const answer = async (context: QueryContext): Promise<number> => {
    const result = await run(input, context);
    if (json || text === undefined) printAnswer(name, result);
    else {
      const notes: string[] = [];
      const body = text(result, { input, db: context.db, header: say, note: (note) => void notes.push(note) });
      if (body !== "") print(body);
      for (const note of notes) say(note);
    }
    return result.exitCode ?? EXIT.ok;
  };
  if (opensStore) return withQueryContext(input, answer, { startsWorker });
  // The query does not use the database.
  return answer({ db: undefined as unknown as Db, paths, env, cwd: process.cwd() });
}

/** Opens the store; prints which project was chosen if the name matches several. */
export function withQueryContext<T>(
  { project }: { project?: unknown },
  work: (context: QueryContext) => Promise<T> | T,
  options: StoreOptions = {},
): Promise<T> {
  const env = process.env;
  const paths = resolvePaths(env);
  return withStore(
    paths,
    async (db) => {
      sayWhichProject(db, project);
      return await work({ db, paths, env, cwd: process.cwd() });
    },
    options,
  );
}

function sayWhichProject(db: Db, name: unknown): void {
  const [chosen, ...others] = typeof name === "string" ? projectsNamed(db, name) : [];
  if (chosen === undefined || others.length === 0) return;
  const keys = others.map(({ key }) => oneLine(key, 80)).join(", ");
  say(`Using ${oneLine(chosen.key, 80)}. Other projects with this name, by key: ${keys}`);
}
