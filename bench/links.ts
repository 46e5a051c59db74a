// Measures how precise `continues` links are on real sessions.
import { WEIGHTS } from "../src/memory/relate/continued-sessions.ts";
import { updateLinks } from "../src/memory/relate/update-links.ts";
import { EFFORT_WEIGHT, findEfforts } from "../src/recall/efforts/efforts.ts";
import type { Db } from "../src/store/db/driver.ts";
import { markAllLinksStale } from "../src/store/tables/stale-links.ts";
import { percent } from "./measure.ts";
import { readQueries, withRealSessions } from "./real-sessions.ts";

const THRESHOLDS = [0.3, 0.4, EFFORT_WEIGHT, 0.6];

export const benchLinks = (): Promise<void> => withRealSessions("links", ({ db }) => measure(db));

function measure(db: Db): void {
  markAllLinksStale(db, undefined);
  const before = process.cpuUsage();
  const sessions = updateLinks(db, { maxMs: Infinity });
  const cpuMs = process.cpuUsage(before).user / 1000;
  console.log(`Links of ${sessions} sessions: ${(cpuMs / sessions).toFixed(2)} ms of CPU time each`);
  againstGold(db, "next");
  againstPlans(db);
  efforts(db);
}

interface SessionLink {
  source_id: string;
  target_id: string;
  weight: number;
}

function linksOf(db: Db, ...relationships: string[]): SessionLink[] {
  return db.all(
    `SELECT l.source_id, l.target_id, l.weight FROM links l JOIN sessions s ON s.session_id = l.target_id
     WHERE l.source_type = 'session' AND l.relationship IN (SELECT value FROM json_each(?))`,
    JSON.stringify(relationships),
  );
}

/**
 * Gold: earlier sessions that touched the same rare files. They are only roughly the sessions that a session continues:
 * the previous one on the same branch or plan is often not among them. Sessions without gold are not counted.
 */
function againstGold(db: Db, task: string): void {
  const gold = new Map(
    readQueries()
      .filter((query) => query.task === task)
      .flatMap((query) => (query.exclude ?? []).map((id): [string, string[]] => [id, query.gold])),
  );
  console.log(`Against the queries "${task}" (${gold.size} sessions with gold): links, precision, recall`);
  const tally = (name: string, links: readonly SessionLink[]): void => {
    const known = links.filter(({ source_id }) => gold.has(source_id));
    const right = known.filter(({ source_id, target_id }) => gold.get(source_id)?.includes(target_id));
    const found = new Set(right.map(({ source_id }) => source_id)).size;
    const row = [percent(right.length, known.length), percent(found, gold.size)];
    console.log(
      `  ${name.padEnd(24)} ${String(known.length).padStart(4)}  ${row.map((one) => one.padStart(7)).join("  ")}`,
    );
  };
  for (const least of THRESHOLDS) {
    tally(
      `continues, ${least.toFixed(1)} or more`,
      linksOf(db, "continues").filter(({ weight }) => weight >= least),
    );
  }
  tally("continues or related_to", linksOf(db, "continues", "related_to"));
}

/** Counts how many of the links found by the agent's plan are also found if all plans are removed. */
function againstPlans(db: Db): void {
  const pairs = linksOf(db, "continues").filter(({ weight }) => weight === WEIGHTS.plan);
  const plans = db.all<{ session_id: string; plan: string }>(
    "SELECT session_id, plan FROM sessions WHERE plan IS NOT NULL",
  );
  db.run("UPDATE sessions SET plan = NULL");
  markAllLinksStale(db, undefined);
  updateLinks(db, { maxMs: Infinity });
  const blind = linksOf(db, "continues");
  const isFound = (pair: SessionLink): boolean =>
    blind.some(({ source_id, target_id }) => source_id === pair.source_id && target_id === pair.target_id);
  console.log(`Links by a plan: ${pairs.length}; found without it: ${pairs.filter(isFound).length}`);
  for (const { session_id, plan } of plans)
    db.run("UPDATE sessions SET plan = ? WHERE session_id = ?", plan, session_id);
  markAllLinksStale(db, undefined);
  updateLinks(db, { maxMs: Infinity });
}

/** Counts efforts on more than one branch: an effort should be on one. */
function efforts(db: Db): void {
  const found = findEfforts(db);
  const sizes = found.map(({ members }) => members.length).sort((a, b) => b - a);
  const branches = new Map(
    db
      .all<{ id: number; git_branch: string | null }>("SELECT id, git_branch FROM sessions")
      .map((row) => [row.id, row.git_branch]),
  );
  const mixed = found.filter(({ members }) => new Set(members.map(({ id }) => branches.get(id))).size > 1).length;
  console.log(`Efforts: ${found.length}, with ${sizes.join(", ")} sessions; ${mixed} of them on more than one branch`);
}
