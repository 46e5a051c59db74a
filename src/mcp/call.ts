// One call of a tool: what was asked, by whom, and what a tool may answer.
import { AGENTS } from "../agents/spec.ts";
import { findProjectHere } from "../capture/capture-context.ts";
import type { Env, Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { parseTime, spanOf } from "../core/time.ts";
import type { Db } from "../store/db/driver.ts";
import { projectsNamed } from "../store/tables/projects.ts";
import type { Scope } from "../store/reads/scope.ts";
import { type Args, readChoice, readText } from "./args.ts";
import { line } from "./text.ts";

export interface Call {
  db: Db;
  args: Args;
  paths: Paths;
  env: Env;
  /** Where the client works. */
  folder: string;
  now: number;
  maxTokens: number;
  consent: Consent;
}

/** Whether the person at the client has agreed. */
export interface Consent {
  canAsk: boolean;
  /** Of the person, where they were asked. */
  answer: "accept" | "decline" | undefined;
  /** What was shown on this connection before it is confirmed. */
  shown: Set<string>;
}

export type Answer =
  | { text: string; isError?: true }
  /** The person has to be asked this first; the call then comes again. */
  | { question: string };

/** Every project, by this word. */
export const ALL = "all";

export interface Asked {
  scope: Scope;
  /** In words. */
  where: string;
}

export function readScope(call: Call): Asked {
  const { args, now } = call;
  const time = (name: string): number | undefined => {
    const text = readText(args, name);
    return text === undefined ? undefined : parseTime(text.slice(0, 40), now);
  };
  const project = readProject(call);
  return {
    scope: spanOf({
      projectId: project?.id,
      agent: readChoice(
        args,
        "agent",
        AGENTS.map(({ id }) => id),
      ),
      since: time("since"),
      before: time("before"),
    }),
    where: project === undefined ? "all projects" : line(project.name, 200),
  };
}

function readProject({ db, args, paths, env, folder }: Call): { id: number; name: string } | undefined {
  const name = readText(args, "project");
  if (name === ALL) return undefined;
  if (name !== undefined) {
    const [named, ...others] = projectsNamed(db, name);
    if (named !== undefined && others.length > 0)
      return {
        id: named.id,
        name: `${named.name} (${named.key}; also called so: ${others.map(({ key }) => key).join(", ")})`,
      };
    if (named !== undefined) return named;
    throw new AppError("nothing_found", `There is no project "${line(name, 80)}".`, {
      hint: `Leave it out for the one you are in, or use "${ALL}".`,
    });
  }
  const { here, known } = findProjectHere(db, { paths, env, cwd: folder });
  if (known !== undefined) return known;
  throw new AppError("nothing_found", `Nothing is remembered of ${line(here.name, 80)} yet.`, {
    hint: `project: "${ALL}" asks about every project.`,
  });
}

/** The project an id's neighbours are looked for in, unless told otherwise. */
export function isProjectGiven({ args }: Call): boolean {
  return readText(args, "project") !== undefined;
}
