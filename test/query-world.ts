// A small store with three sessions on fixed days, for tests of queries, MCP tools and routes.
import { mkdirSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { vi } from "vitest";
import { resolvePaths } from "../src/config/paths.ts";
import { loadSettings } from "../src/config/load.ts";
import { findPlace, identifyProject } from "../src/capture/project.ts";
import { deriveNewest } from "../src/memory/derive.ts";
import { forScreen } from "../src/platform/terminal/style.ts";
import type { Answer } from "../src/queries/envelope.ts";
import { type Fields, readInput } from "../src/queries/fields.ts";
import type { Query, QueryContext } from "../src/queries/query.ts";
import { updateSearchIndex } from "../src/store/fts/search-index.ts";
import { bash, DAY, ended, MINUTE, prompt, said, type Seeded, seedStore, START, touch } from "./seed.ts";

/** The current time in these tests: two days after the first session. */
export const NOW = START + 2 * DAY;
process.env["TZ"] = "UTC";
vi.useFakeTimers({ toFake: ["Date"], now: NOW });
export const FAILED = "AssertionError: expected the basket to be empty";
export const BASKET = "1b2c3d4e-basket";
export const HEADER = "5f6a7b8c-header";
export const ELSEWHERE = "9d0e1f2a-other";

export interface QueryWorld extends Pick<Seeded, "db" | "add"> {
  context: QueryContext & { cwd: string };
}

/** A world with an empty store. */
export function emptyWorld(): QueryWorld {
  const home = mkdtempSync(join(tmpdir(), "c-mem-query-"));
  const cwd = join(home, "app");
  mkdirSync(cwd);
  const env = { HOME: home, C_MEM_HOME: join(home, "data") };
  const paths = resolvePaths(env);
  mkdirSync(paths.home);
  const project = identifyProject(findPlace(cwd), loadSettings({ user: paths.config }, env));
  const { db, add } = seedStore(paths.database, { cwd, project });
  return { db, add, context: { db, paths, env, cwd } };
}

/** A session that fixes and commits a bug, a second session, and one of another agent in another project. */
export function createQueryWorld(): QueryWorld {
  const world = emptyWorld();
  const { db, add } = world;
  add(BASKET, prompt("Why is the basket not emptied after checkout?"));
  add(BASKET, bash("npm test", `Exit code 1\n${FAILED}`, 1));
  add(BASKET, touch("src/basket.js"));
  add(BASKET, bash("npm test", "all passed"));
  add(BASKET, bash("git commit -m 'Empty the basket'", "[main abc1234] Empty the basket"));
  add(BASKET, said("m1", "The basket kept a copy of its items; checkout empties both now."));
  add(BASKET, ended("The basket kept a copy of its items; checkout empties both now."));
  add(HEADER, prompt("Make the header of the shop darker"), { at: START + DAY });
  add(HEADER, touch("src/header.css"));
  add(HEADER, touch("src/basket.js", "read"));
  add(HEADER, ended("The header is dark now."));
  const other = { key: "other", name: "other", root: "/other" };
  add(ELSEWHERE, prompt("List the invoices of May"), {
    agent: "codex",
    project: other,
    cwd: "/other",
    at: START + DAY + 60 * MINUTE,
  });
  add(ELSEWHERE, ended("There are twelve."), { agent: "codex", project: other, cwd: "/other" });
  updateSearchIndex(db);
  deriveNewest(db, undefined, 10_000);
  return world;
}

/** Runs queries with raw values, as the CLI and HTTP server receive them. */
export function asker({ context }: QueryWorld) {
  type AnyResult = Answer & { data: never };
  return {
    run: async <F extends Fields, Result extends object>(
      query: Pick<Query<F, never, never, Result>, "fields" | "run">,
      values: Record<string, unknown> = {},
    ): Promise<Result> =>
      query.run(
        readInput(query.fields, values, (key) => key),
        context,
      ),
    /** The command's output: first the lines of stderr in brackets, then stdout. */
    text: async (query: object, values: Record<string, unknown> = {}): Promise<string[]> => {
      const { fields, run, text } = query as Query<Fields, never, never, AnyResult>;
      const input = readInput(fields, values, (key) => key);
      const result = await run(input, context);
      const notes: string[] = [];
      const say = (line: string): void => void notes.push(`[${line.trim()}]`);
      const body = text?.(result, { input, db: context.db, header: say, note: say }) ?? "";
      return [...notes, ...body.split("\n")].map((line) => stripVTControlCharacters(forScreen(line)));
    },
    /** Code and message of the error that it throws. */
    error: async (query: object, values: Record<string, unknown> = {}): Promise<string> => {
      const { fields, run } = query as Query<Fields, never, never, AnyResult>;
      try {
        await run(
          readInput(fields, values, (key) => key),
          context,
        );
      } catch (error) {
        const { code, message } = error as { code?: string; message: string };
        return `${code}: ${message}`;
      }
      return "no error";
    },
  };
}
