// Which observations a session starts with: by the branch, the files and the work at hand, not by age alone.
import type { Db } from "../../store/db/driver.ts";
import { changedFiles } from "../../store/tables/file-touches.ts";
import { type Candidate, newestStanding } from "../../store/reads/observation-pick.ts";
import { observationsByIds } from "../../store/fts/observation-words.ts";
import type { ObservationRow } from "../../store/tables/observations.ts";
import type { SessionRow } from "../../store/tables/sessions.ts";
import type { ContextRequest } from "./context.ts";
import { standingOf } from "./verify.ts";

export interface Chosen {
  decisions: ObservationRow[];
  full: ObservationRow[];
  listed: ObservationRow[];
  /** How test runs ended, where they failed. */
  tests: ObservationRow[];
  /** Left out: their files are gone. */
  stale: number;
}

const CANDIDATES = 120;
const DECISIONS = 6;
/** Sessions whose files count as the work at hand. */
const WORKING_SESSIONS = 3;
/** More of one session push out all others. */
const PER_SESSION = 3;

export function chooseObservations(
  db: Db,
  { project, settings, tree, source, since = 0 }: ContextRequest,
  sessions: readonly SessionRow[],
  ownId: number | undefined,
): Chosen {
  const ids = new Set(sessions.map(({ id }) => id));
  const rows = newestStanding(db, project.id, CANDIDATES).filter(
    (row) => row.session_db_id !== ownId && (row.valid_from >= since || row.pinned === 1),
  );
  // On resume only what is new: the rest was told when the session began.
  const wanted = source === "resume" ? rows.filter((row) => ids.has(row.session_db_id ?? 0)) : rows;
  const isGone = (row: Candidate): boolean =>
    tree !== undefined &&
    standingOf(
      { title: row.title, narrative: "", files: filesOf(row) },
      { top: tree.top, since: row.valid_from, deep: false },
    ).kind === "gone";
  const isTest = (row: Candidate): boolean => row.subject?.startsWith("tests:") ?? false;
  const tests = wanted.filter((row) => isTest(row) && /fail/i.test(row.title));
  const rated = rate(
    wanted.filter((row) => !isTest(row)),
    workingSet(db, sessions),
    { sessions, branch: tree?.branch },
  );
  const decisions = rated.filter(({ row }) => row.type === "decision" || row.pinned === 1);
  const isWanted = (row: Candidate): boolean =>
    row.pinned === 1 ||
    ((settings.contextTypes.length === 0 || settings.contextTypes.includes(row.type)) &&
      (settings.contextConcepts.length === 0 ||
        (JSON.parse(row.concepts) as string[]).some((concept) => settings.contextConcepts.includes(concept))));
  const shownDecisions = decisions.slice(0, DECISIONS).map(({ row }) => row);
  const others = rated.map(({ row }) => row).filter((row) => isWanted(row) && !shownDecisions.includes(row));
  const picked: Candidate[] = [];
  let stale = 0;
  for (const row of others) {
    if (picked.length === settings.contextObservations) break;
    if (isGone(row)) stale += 1;
    else picked.push(row);
  }
  const full = picked
    .toSorted((a, b) => b.valid_from - a.valid_from)
    .filter(saysSomething)
    .slice(0, settings.contextFull);
  const listed = picked.filter((row) => !full.includes(row));
  const whole = new Map(
    observationsByIds(
      db,
      [...shownDecisions, ...picked, ...tests].map(({ id }) => id),
    ).map((row) => [row.id, row]),
  );
  const wholeOf = (candidates: readonly Candidate[]): ObservationRow[] =>
    candidates.map(({ id }) => whole.get(id)).filter((row) => row !== undefined);
  return {
    decisions: wholeOf(shownDecisions),
    full: wholeOf(full),
    listed: wholeOf(listed),
    tests: wholeOf(tests),
    stale,
  };
}

/** "Changed x.ts": the file list says as much. */
function saysSomething(row: Candidate): boolean {
  return !/^(?:Changed|Created|Updated) \S+$/.test(row.title);
}

function workingSet(db: Db, sessions: readonly SessionRow[]): Set<string> {
  return new Set(sessions.slice(0, WORKING_SESSIONS).flatMap(({ id }) => changedFiles(db, id).map(({ path }) => path)));
}

const TYPE_WEIGHT = { decision: 0.4, bugfix: 0.3, discovery: 0.25, feature: 0.2, refactor: 0.1, change: 0.05 };
const ORIGIN_WEIGHT = { user: 0.2, assistant: 0.1, tool: -0.1 };

/** The best first. Of each session the best few stand before what more there is of it. */
function rate(
  rows: readonly Candidate[],
  working: ReadonlySet<string>,
  { sessions, branch }: { sessions: readonly SessionRow[]; branch: string | undefined },
): { row: Candidate; score: number }[] {
  const place = new Map(sessions.map(({ id }, index) => [id, index]));
  const rated = rows.map((row, index) => {
    const back = place.get(row.session_db_id ?? -1) ?? sessions.length + index / 20;
    const shares = filesOf(row).some((file) => working.has(file));
    const score =
      1 / (1 + back / 6) +
      (shares ? 0.5 : 0) +
      (branch !== undefined && row.git_branch === branch && !isTrunk(branch) ? 0.6 : 0) +
      TYPE_WEIGHT[row.type] +
      ORIGIN_WEIGHT[row.origin] +
      row.pinned * 3 -
      (saysSomething(row) ? 0 : 0.4);
    return { row, score };
  });
  const counts = new Map<number | null, number>();
  return rated
    .sort((a, b) => b.score - a.score)
    .map((each) => {
      const nth = counts.get(each.row.session_db_id) ?? 0;
      counts.set(each.row.session_db_id, nth + 1);
      return { ...each, score: each.score - (nth >= PER_SESSION ? 0.25 * (nth - PER_SESSION + 1) : 0) };
    })
    .sort((a, b) => b.score - a.score);
}

/** Where everybody works, the branch says nothing. */
function isTrunk(branch: string): boolean {
  return /^(?:main|master|trunk|develop)$/.test(branch);
}

/** All that is looked at of most rows: reading the rest of them takes milliseconds. */
function filesOf({ files }: Candidate): string[] {
  return files === "[]" ? [] : (JSON.parse(files) as string[]);
}
