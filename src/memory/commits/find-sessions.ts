// Finds the sessions whose work a commit carries, each with a confidence (docs/adr/0021-lines-and-commits.md).
import { addedLines, isTelling, readEdit } from "../../core/lines/file-change.ts";
import { parseJson } from "../../core/json.ts";
import { DAY_MS } from "../../core/time.ts";
import type { Db } from "../../store/db/driver.ts";
import {
  editsOfFile,
  type FileEdit,
  textsNaming,
  type TurnOfSession,
  turnsOfSessions,
  turnsWithCommit,
  turnsWithPullRequest,
  turnsWithSubject,
} from "../../store/reads/commit-evidence.ts";
import type { CommitBasis } from "../../store/tables/commits.ts";
import { toolUsesByIds } from "../../store/tables/tool-uses.ts";
import { type CommitFacts, type CommitFile, isBot, namedSessions, pullRequestOf } from "./commit-facts.ts";

export interface CommitLink {
  sessionDbId: number;
  promptNumber: number;
  basis: CommitBasis;
  confidence: number;
}

/** Less certain links are not made. */
export const MIN_CONFIDENCE = 0.6;

const CONFIDENCE = { output: 1, trailer: 1, rewritten: 0.97, mention: 0.75, "pull-request": 0.7 } as const;
const MAX_CONFIDENCE = 0.95;

/** A commit's author time is that of the tool use that made it, also after a rebase. */
const SAME_MOMENT_MS = 2 * 60_000;
/** A session names a commit soon after a subagent made it. */
const MENTION_MS = 60 * 60_000;
/** Work that is older was probably committed before, or thrown away. */
const WINDOW_MS = 30 * DAY_MS;
/** By files alone: the confidence halves with this time between the last change and the commit. */
const NEAR_MS = DAY_MS;
/** As many telling lines of a session in a commit are no chance, whatever else the commit has. */
const MANY_LINES = 20;
const MAX_FILES = 400;

/** The best link of each session, most certain first. */
export function findSessions(db: Db, projectId: number, commit: CommitFacts): CommitLink[] {
  const { sha, authoredAt, subject } = commit;
  const moment = { from: authoredAt - SAME_MOMENT_MS, to: authoredAt + SAME_MOMENT_MS };
  const stated = [
    ...toLinks("output", turnsWithCommit(db, projectId, sha)),
    ...toLinks("trailer", turnsOfSessions(db, projectId, namedSessions(commit), commit.committedAt)),
    ...toLinks("rewritten", turnsWithSubject(db, projectId, { subject, ...moment })),
  ];
  const hasLines = commit.files.some(({ added }) => added !== undefined);
  // Files alone say less than what git printed.
  const work = stated.length > 0 && !hasLines ? [] : workIn(db, projectId, commit);
  const found = bestOfEach([...stated, ...work]);
  return found.length > 0 || isBot(commit) ? found : bestOfEach(namedIn(db, projectId, commit)).slice(0, 1);
}

function toLinks(basis: keyof typeof CONFIDENCE, turns: readonly TurnOfSession[]): CommitLink[] {
  return turns.map(({ session_db_id: sessionDbId, prompt_number: promptNumber }) => ({
    sessionDbId,
    promptNumber,
    basis,
    confidence: CONFIDENCE[basis],
  }));
}

function bestOfEach(links: readonly CommitLink[]): CommitLink[] {
  const best = new Map<number, CommitLink>();
  for (const link of links) {
    const known = best.get(link.sessionDbId);
    if (link.confidence >= MIN_CONFIDENCE && link.confidence > (known?.confidence ?? 0))
      best.set(link.sessionDbId, link);
  }
  return [...best.values()].sort((a, b) => b.confidence - a.confidence || a.sessionDbId - b.sessionDbId);
}

/** A session that names the commit while it works, else one that opened its pull request. */
function namedIn(db: Db, projectId: number, { sha, authoredAt, subject }: CommitFacts): CommitLink[] {
  const text = sha.slice(0, 7);
  const [mention] = textsNaming(db, projectId, { text, from: authoredAt, to: authoredAt + MENTION_MS });
  if (mention !== undefined) return toLinks("mention", [mention]);
  const number = pullRequestOf(subject);
  if (number === undefined) return [];
  return toLinks("pull-request", turnsWithPullRequest(db, projectId, { number, before: authoredAt }));
}

interface Share {
  sessionDbId: number;
  /** Lines, or 1 for a file of which the lines are not known. */
  lines: number;
  /** Of all the commit's lines. */
  weight: number;
  isByLines: boolean;
  lastAt: number;
  byTurn: Map<number, number>;
}

/** The sessions that wrote the commit's lines, or, where these are not known, last changed its files. */
function workIn(db: Db, projectId: number, commit: CommitFacts): CommitLink[] {
  const shares = new Map<number, Share>();
  let whole = 0;
  for (const file of commit.files.slice(0, MAX_FILES)) {
    const wanted = file.added === undefined ? undefined : tellingLines(file.added);
    // A file from which lines were only deleted counts like one line.
    whole += Math.max(1, wanted?.size ?? 1);
    const from = commit.authoredAt - WINDOW_MS;
    // Amending keeps the author's time, but adds later changes.
    const to = (wanted === undefined ? commit.authoredAt : commit.committedAt) + SAME_MOMENT_MS;
    const edits = editsOfFile(db, projectId, { path: file.path, from, to });
    if (wanted !== undefined && wanted.size > 0) creditLines(db, edits, wanted, shares);
    else if (edits[0] !== undefined && !isBot(commit)) credit(shares, edits[0], { lines: 1, isByLines: false });
  }
  return [...shares.values()].map((share) => toLink(share, whole, commit));
}

function tellingLines(lines: CommitFile["added"] = []): Set<string> {
  return new Set(lines.filter(isTelling).map((line) => line.trim()));
}

/** Each line is credited to the last edit that added it. */
function creditLines(
  db: Db,
  edits: readonly FileEdit[],
  wanted: ReadonlySet<string>,
  shares: Map<number, Share>,
): void {
  const left = new Set(wanted);
  for (const edit of edits) {
    if (left.size === 0) return;
    let lines = 0;
    for (const line of linesOf(db, edit)) if (left.delete(line)) lines += 1;
    if (lines > 0) credit(shares, edit, { lines, isByLines: true });
  }
}

/** The lines that an edit added to its file. */
function linesOf(db: Db, { tool_use_db_id: id, path }: FileEdit): Set<string> {
  const [use] = toolUsesByIds(db, [id]);
  if (use === undefined) return new Set();
  const { changes, asLogged = [] } = readEdit({ ...use, input: parseJson(use.input) }, path);
  return tellingLines([...changes, ...asLogged].flatMap(addedLines));
}

function credit(
  shares: Map<number, Share>,
  edit: FileEdit,
  { lines, isByLines }: Pick<Share, "lines" | "isByLines">,
): void {
  const { session_db_id: sessionDbId, prompt_number: turn, at } = edit;
  const share = shares.get(sessionDbId) ?? {
    sessionDbId,
    lines: 0,
    weight: 0,
    isByLines,
    lastAt: 0,
    byTurn: new Map(),
  };
  share.lines += isByLines ? lines : 0;
  share.weight += lines;
  share.isByLines ||= isByLines;
  share.lastAt = Math.max(share.lastAt, at);
  share.byTurn.set(turn, (share.byTurn.get(turn) ?? 0) + lines);
  shares.set(sessionDbId, share);
}

function toLink(share: Share, whole: number, { authoredAt }: CommitFacts): CommitLink {
  const { sessionDbId, lines, weight, isByLines, lastAt, byTurn } = share;
  const promptNumber = [...byTurn].toSorted((a, b) => b[1] - a[1] || b[0] - a[0])[0]?.[0] ?? 0;
  const part = weight / whole;
  const gap = Math.max(0, authoredAt - lastAt);
  const score = isByLines ? Math.max(part, Math.min(1, lines / MANY_LINES)) : part / (1 + gap / NEAR_MS);
  const confidence = isByLines ? 0.55 + 0.4 * score : 0.35 + 0.6 * score;
  return {
    sessionDbId,
    promptNumber,
    basis: isByLines ? "lines" : "files",
    confidence: Math.round(Math.min(MAX_CONFIDENCE, confidence) * 100) / 100,
  };
}
