// Loads the same sessions into every tool, then asks each the same queries in turn: latency and any@5.
import { quantile } from "../measure.ts";
import type { Contestant, SearchTool } from "./contestant.ts";
import { type McpClient, openClient } from "./mcp-client.ts";
import type { Place } from "./place.ts";
import { keywordsOf, scoreOf, sessionsFound, type Scored } from "./score.ts";
import type { Query, World } from "./worlds.ts";

const LOAD_LIMIT_MS = 5 * 60_000;

export interface SearchResult {
  /** Of the sessions: importing them, or writing their turns. */
  loadMs: number;
  p50: number;
  p95: number;
  /** In percent, with the queries as they are. */
  anyFive: number;
  /** In percent, with the queries reduced to their keywords, as an agent that knows its tool would write them. */
  anyFiveKeywords: number;
  queries: number;
  failed: number;
  /** Queries without any result, as they are. */
  empty: number;
}

export interface SearchFailure {
  reason: string;
}

interface Searcher {
  contestant: Contestant;
  tool: SearchTool;
  place: Place;
  client: McpClient;
  loadMs: number;
}

interface Answers {
  loadMs: number;
  times: number[];
  scored: Scored[];
  keywords: Scored[];
  failed: number;
  empty: number;
  reason?: string;
}

export type OpenPlace = (contestant: Contestant, purpose: string) => Promise<Place>;

/** By tool, over all worlds. */
export async function measureSearch(
  contestants: readonly Contestant[],
  worlds: readonly World[],
  open: OpenPlace,
): Promise<Map<string, SearchResult | SearchFailure>> {
  const answers = new Map<string, Answers>();
  for (const world of worlds) {
    const searchers: Searcher[] = [];
    for (const contestant of contestants) {
      const sums = answers.get(contestant.name) ?? newAnswers();
      answers.set(contestant.name, sums);
      if (contestant.search === undefined || sums.reason !== undefined) continue;
      try {
        const searcher = await load(contestant, contestant.search, world, open);
        sums.loadMs += searcher.loadMs;
        searchers.push(searcher);
        console.error(`  ${contestant.name}: ${world.name} loaded in ${(searcher.loadMs / 1000).toFixed(1)} s`);
      } catch (error) {
        sums.reason = error instanceof Error ? error.message : String(error);
        console.error(`  ${contestant.name}: ${sums.reason}`);
      }
    }
    for (const query of world.queries) {
      for (const searcher of searchers) {
        const sums = answers.get(searcher.contestant.name);
        if (sums === undefined) continue;
        await ask(searcher, query, world, sums);
      }
    }
    for (const { client } of searchers) await client.close();
  }
  return new Map([...answers].map(([name, sums]) => [name, resultOf(sums)]));
}

function newAnswers(): Answers {
  return { loadMs: 0, times: [], scored: [], keywords: [], failed: 0, empty: 0 };
}

async function ask(searcher: Searcher, query: Query, world: World, sums: Answers): Promise<void> {
  const { task, text } = query;
  const { found, ms } = await find(searcher, text, world);
  sums.times.push(ms);
  if (found === undefined) sums.failed += 1;
  if (found?.length === 0) sums.empty += 1;
  const { found: second = [] } = await find(searcher, keywordsOf(text), world);
  sums.scored.push({ task, isFound: sessionsFound(found ?? [], query, world.sessions) });
  sums.keywords.push({ task, isFound: sessionsFound(second, query, world.sessions) });
}

/** Undefined: the tool answered with an error, or not in time. */
async function find(
  { tool, place, client }: Searcher,
  query: string,
  world: World,
): Promise<{ found: string[] | undefined; ms: number }> {
  const asked = tool.needsFreshServer === true ? await openClient(place, tool) : client;
  const start = performance.now();
  const found = await tool.find(asked, query, world.sessions).catch(() => undefined);
  const ms = performance.now() - start;
  if (asked !== client) await asked.close();
  return { found, ms };
}

async function load(contestant: Contestant, tool: SearchTool, world: World, open: OpenPlace): Promise<Searcher> {
  const place = await open(contestant, `search-${world.name.replaceAll("/", "-")}`);
  if (tool.source === "transcripts") world.layOut(place.home);
  const start = performance.now();
  await withLimit(tool.load?.(place, world.sessions, () => openClient(place, tool)) ?? Promise.resolve());
  const loadMs = performance.now() - start;
  const client = await openClient(place, tool);
  // The first call may open a database or build a cache.
  await tool.find(client, "first", world.sessions).catch(() => []);
  return { contestant, tool, place, client, loadMs };
}

async function withLimit(work: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not loaded within ${LOAD_LIMIT_MS / 60_000} minutes`)), LOAD_LIMIT_MS);
  });
  try {
    await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

function resultOf({ loadMs, times, scored, keywords, failed, empty, reason }: Answers): SearchResult | SearchFailure {
  if (reason !== undefined || times.length === 0) return { reason: reason ?? "no sessions" };
  const [p50, p95] = [quantile(times, 0.5), quantile(times, 0.95)];
  const shares = { anyFive: scoreOf(scored), anyFiveKeywords: scoreOf(keywords) };
  return { loadMs, p50, p95, ...shares, queries: times.length, failed, empty };
}
