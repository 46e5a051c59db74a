// Chooses the observations for session start by branch, files, recent work and age.
import { contentWords } from "../../core/words.ts";
import { isTrunk } from "../../core/work-tree.ts";
import type { Db } from "../../store/db/driver.ts";
import { observationsByIds } from "../../store/fts/observation-words.ts";
import { type Candidate, newestCurrent } from "../../store/reads/observation-list.ts";
import { changedFiles } from "../../store/tables/file-touches.ts";
import type { ObservationRow } from "../../store/tables/observations.ts";
import type { SessionRow } from "../../store/tables/sessions.ts";
import type { ContextRequest } from "./session-context.ts";
import { isFileList } from "./observation-lines.ts";
import { checkAgainstTree } from "./freshness.ts";

const MAX_CANDIDATES = 120;
const MAX_DECISIONS = 5;
/** An approved plan is done or replaced soon. Its decisions are listed apart. */
const PLAN = /^Plan: /;
/** A decision with so many words of where work stopped is about it. */
const SHARED_WORDS = 2;

/** "Always run the tests before you commit" bears on all work. */
const STANDING_RULE = /^(?:always|never|from now on|going forward)\b/i;

/** `bearing`: where work stopped, to choose the decisions that bear on it. */
export function chooseObservations(
  db: Db,
  request: ContextRequest,
  sessions: readonly SessionRow[],
  { ownId, last, bearing }: { ownId: number | undefined; last: SessionRow | undefined; bearing: string },
) {
  const { project, settings, tree, source, since = 0 } = request;
  const sessionIds = new Set(sessions.map(({ id }) => id));
  const lasting = newestCurrent(db, project.id, { limit: MAX_CANDIDATES, isLasting: true });
  const known = new Set(lasting.map(({ id }) => id));
  const newest = settings.contextObservations === 0 ? [] : newestCurrent(db, project.id, { limit: MAX_CANDIDATES });
  const candidates = [...lasting, ...newest.filter(({ id }) => !known.has(id))]
    .filter((row) => row.session_db_id !== ownId && (row.valid_from >= since || row.pinned === 1))
    // A resumed session already has the older observations in its context.
    .filter((row) => source !== "resume" || sessionIds.has(row.session_db_id ?? 0));
  const words = contentWords(bearing);
  const lastFiles = new Set(last === undefined ? [] : changedFiles(db, last.id).map(({ path }) => path));
  const bearsOn = ({ session_db_id: session, git_branch: branch, title, files, origin }: Candidate): boolean =>
    (origin === "user" && STANDING_RULE.test(title)) ||
    (last !== undefined && session === last.id) ||
    (branch !== null && branch === last?.git_branch && !isTrunk(branch)) ||
    parseFiles(files).some((file) => lastFiles.has(file)) ||
    [...contentWords(title)].filter((word) => words.has(word)).length >= SHARED_WORDS;
  const ranked = rank(db, candidates, sessions, tree?.branch);
  const decisions = ranked
    .filter(
      (row) =>
        row.pinned === 1 ||
        row.producer === "user" ||
        (row.type === "decision" && !PLAN.test(row.title) && bearsOn(row)),
    )
    .slice(0, MAX_DECISIONS);
  const { contextTypes, contextConcepts } = settings;
  const isWanted = ({ pinned, type, concepts }: Candidate): boolean =>
    pinned === 1 ||
    ((contextTypes.length === 0 || contextTypes.includes(type)) &&
      (contextConcepts.length === 0 ||
        (JSON.parse(concepts) as string[]).some((concept) => contextConcepts.includes(concept))));
  const areFilesGone = ({ title, valid_from, files }: Candidate): boolean =>
    tree !== undefined &&
    checkAgainstTree(
      { title, narrative: "", files: parseFiles(files) },
      { top: tree.top, since: valid_from, readFiles: false },
    ).kind === "gone";
  const others: Candidate[] = [];
  let gone = 0;
  for (const row of ranked.filter((each) => isWanted(each) && !decisions.includes(each))) {
    if (others.length === settings.contextObservations) break;
    if (areFilesGone(row)) gone += 1;
    else others.push(row);
  }
  const newestFirst = others.toSorted((a, b) => b.valid_from - a.valid_from);
  const full = newestFirst.filter((row) => !isFileList(row)).slice(0, settings.contextFull);
  const listed = others.filter((row) => !full.includes(row));
  const ids = [...decisions, ...others].map(({ id }) => id);
  const rows = new Map(observationsByIds(db, ids).map((row) => [row.id, row]));
  const rowsOf = (chosen: readonly Candidate[]): ObservationRow[] => chosen.flatMap(({ id }) => rows.get(id) ?? []);
  return {
    decisions: rowsOf(decisions),
    /** Shown in full, newest first. */
    full: rowsOf(full),
    /** Shown by title. */
    listed: rowsOf(listed),
    /** How many were omitted because their files are gone. */
    gone,
  };
}

/** Files that the last 3 sessions changed are current work. */
const WORKING_SESSIONS = 3;
/** From the fourth observation of one session on, scores are lowered: else one session could fill the list. */
const PER_SESSION = 3;
const TYPE_WEIGHT = { decision: 0.4, bugfix: 0.3, discovery: 0.25, feature: 0.2, refactor: 0.1, change: 0.05 };
const ORIGIN_WEIGHT = { user: 0.2, assistant: 0.1, tool: -0.1 };

/** Sorted by score, highest first. */
function rank(
  db: Db,
  rows: readonly Candidate[],
  sessions: readonly SessionRow[],
  branch: string | undefined,
): Candidate[] {
  const recent = sessions.slice(0, WORKING_SESSIONS);
  const working = new Set(recent.flatMap(({ id }) => changedFiles(db, id).map(({ path }) => path)));
  const isOwnBranch = branch !== undefined && !/^(?:main|master|trunk|develop)$/.test(branch);
  const age = new Map(sessions.map(({ id }, index) => [id, index]));
  const rated = rows.map((row, index) => {
    const sessionsAgo = age.get(row.session_db_id ?? -1) ?? sessions.length + index / 20;
    const score =
      1 / (1 + sessionsAgo / 6) +
      (parseFiles(row.files).some((file) => working.has(file)) ? 0.5 : 0) +
      (isOwnBranch && row.git_branch === branch ? 0.6 : 0) +
      TYPE_WEIGHT[row.type] +
      ORIGIN_WEIGHT[row.origin] +
      row.pinned * 3 -
      (isFileList(row) ? 0.4 : 0);
    return { row, score };
  });
  const counts = new Map<number | null, number>();
  for (const each of rated.sort((a, b) => b.score - a.score)) {
    const earlier = counts.get(each.row.session_db_id) ?? 0;
    counts.set(each.row.session_db_id, earlier + 1);
    each.score -= earlier >= PER_SESSION ? 0.25 * (earlier - PER_SESSION + 1) : 0;
  }
  return rated.sort((a, b) => b.score - a.score).map(({ row }) => row);
}

function parseFiles(files: string): string[] {
  return files === "[]" ? [] : (JSON.parse(files) as string[]);
}
