// Finds the sessions whose work a commit carries, each with a confidence (docs/adr/0021-lines-and-commits.md).
import { addedLines, isTelling } from "../../core/lines/file-change.ts";
import { readUse } from "../../core/lines/read-use.ts";
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
import { shellWrites } from "../../store/reads/line-evidence.ts";
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
/** At least, if the commit has all that an edit added: also if that is one of many lines. */
const WHOLE_EDIT = 0.7;
/** At most, for lines such as "a: 2,". */
const SHORT_LINES = 0.75;

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
  const shares = commit.isCut === true ? [] : sharesOf(db, projectId, commit);
  const stated = [
    ...toLinks("output", turnsWithCommit(db, projectId, commit.sha)),
    ...toLinks("trailer", turnsOfSessions(db, projectId, namedSessions(commit), commit.committedAt)),
    ...toLinks("rewritten", turnsReplaced(db, projectId, commit, shares)),
  ];
  const hasLines = commit.files.some(({ added }) => added !== undefined);
  // Files alone say less than what git printed.
  const work = stated.length > 0 && !hasLines ? [] : shares.map((share) => toLink(share, commit));
  const found = bestOfEach([...stated, ...work]);
  return found.length > 0 || isBot(commit) ? found : bestOfEach(namedIn(db, projectId, commit)).slice(0, 1);
}

/** Turns that made a commit with this subject at the author's time. */
export function turnsAlike(
  db: Db,
  projectId: number,
  { subject, authoredAt }: CommitFacts,
): (TurnOfSession & { sha: string })[] {
  return turnsWithSubject(db, projectId, {
    subject,
    from: authoredAt - SAME_MOMENT_MS,
    to: authoredAt + SAME_MOMENT_MS,
  });
}

/** "wip" says little: if git does not have the old commit any more, the session must have work in the new one. */
function turnsReplaced(db: Db, projectId: number, commit: CommitFacts, shares: readonly Share[]): TurnOfSession[] {
  return turnsAlike(db, projectId, commit).filter(
    ({ sha, session_db_id: id }) =>
      commit.replaces?.get(sha) ?? shares.some((share) => share.sessionDbId === id && share.weight > 0),
  );
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
  /** Of `whole`, that of all the commit's files. */
  weight: number;
  whole: number;
  isByLines: boolean;
  /** Has more than lines such as "a: 2,". */
  isTelling: boolean;
  /** The commit has all that one of the session's edits added. */
  hasWholeEdit: boolean;
  lastAt: number;
  byTurn: Map<number, number>;
}

/** The sessions that wrote the commit's lines, or, where these are not known, last changed its files. */
function sharesOf(db: Db, projectId: number, commit: CommitFacts): Share[] {
  const shares = new Map<number, Share>();
  let whole = 0;
  for (const file of commit.files.slice(0, MAX_FILES)) {
    const wanted = file.added === undefined ? undefined : wantedLines(file, file.added);
    // A file from which lines were only deleted counts like one line.
    whole += Math.max(1, wanted?.lines.size ?? 1);
    const edits = editsBefore(db, projectId, commit, file);
    if (wanted !== undefined) creditLines(db, edits, wanted, shares);
    else if (edits[0] !== undefined && !isBot(commit)) credit(shares, edits[0], { lines: 1, isByLines: false });
  }
  for (const share of shares.values()) share.whole = whole;
  return [...shares.values()];
}

/** The last edits of a file of a commit that may be in it, newest first. */
export function editsBefore(db: Db, projectId: number, commit: CommitFacts, { path, added }: CommitFile): FileEdit[] {
  const from = commit.authoredAt - WINDOW_MS;
  // Amending keeps the author's time, but adds later changes.
  const to = (added === undefined ? commit.authoredAt : commit.committedAt) + SAME_MOMENT_MS;
  const edits = editsOfFile(db, projectId, { path, from, to });
  // Of a command only the text is known that it wrote.
  const written = added === undefined ? [] : shellWrites(db, projectId, path, { from, until: to });
  return [...edits, ...written].sort((a, b) => b.at - a.at);
}

interface WantedLines {
  lines: ReadonlySet<string>;
  /** False: the commit has only lines such as "a: 2,", which are compared with their indentation. */
  isTelling: boolean;
}

/** The lines that a commit added to a file, without those that the file had before: they were moved or repeated. */
function wantedLines({ before = [] }: CommitFile, added: readonly string[]): WantedLines {
  const telling = tellingLines(added);
  if (telling.size > 0) return { lines: without(telling, tellingLines(before)), isTelling: true };
  return { lines: without(shortLines(added), shortLines(before)), isTelling: false };
}

function without(lines: ReadonlySet<string>, others: ReadonlySet<string>): Set<string> {
  return new Set([...lines].filter((line) => !others.has(line)));
}

function tellingLines(lines: readonly string[]): Set<string> {
  return new Set(lines.filter(isTelling).map((line) => line.trim()));
}

function shortLines(lines: readonly string[]): Set<string> {
  return new Set(lines.filter((line) => /[\p{L}\p{N}]/u.test(line)));
}

/** Each line is credited to the last edit that added it. */
function creditLines(db: Db, edits: readonly FileEdit[], wanted: WantedLines, shares: Map<number, Share>): void {
  const left = new Set(wanted.lines);
  for (const edit of edits) {
    if (left.size === 0) return;
    const { added, forms, parts } = linesOf(db, edit, wanted.isTelling);
    let lines = 0;
    for (const line of added) if (left.delete(line)) lines += 1;
    for (const part of parts) {
      const line = [...left].find((one) => one.includes(part));
      if (line !== undefined && left.delete(line)) lines += 1;
    }
    const hasWholeEdit =
      wanted.isTelling && forms.some((form) => form.size > 0 && without(form, wanted.lines).size === 0);
    if (lines > 0) credit(shares, edit, { lines, isByLines: true, isTelling: wanted.isTelling, hasWholeEdit });
  }
}

/**
 * The lines that an edit added to its file. `forms`: as the tool was asked to, and as the agent logged it. `parts`: of
 * lines, if it replaced text within them and the agent logged no patch.
 */
function linesOf(
  db: Db,
  { tool_use_db_id: id, path, cwd = "" }: FileEdit,
  areTelling: boolean,
): { added: Set<string>; forms: Set<string>[]; parts: Iterable<string> } {
  const [use] = toolUsesByIds(db, [id]);
  if (use === undefined) return { added: new Set(), forms: [], parts: [] };
  const { changes, asLogged = [] } = readUse({ ...use, path, cwd });
  const ends = changes.flatMap((change) => {
    const added = change.kind === "text" ? addedLines(change) : [];
    return [...added.slice(0, 1), ...added.slice(1).slice(-1)];
  });
  const forms = [changes, asLogged].map((form) => {
    const lines = form.flatMap(addedLines);
    return areTelling ? tellingLines(lines) : shortLines(lines);
  });
  const parts = areTelling && asLogged.length === 0 ? tellingLines(ends) : [];
  return { added: new Set(forms.flatMap((form) => [...form])), forms, parts };
}

function credit(
  shares: Map<number, Share>,
  edit: FileEdit,
  {
    lines,
    isByLines,
    ...more
  }: Pick<Share, "lines" | "isByLines"> & Partial<Pick<Share, "isTelling" | "hasWholeEdit">>,
): void {
  const { session_db_id: sessionDbId, prompt_number: turn, at } = edit;
  const share = shares.get(sessionDbId) ?? {
    sessionDbId,
    lines: 0,
    weight: 0,
    whole: 0,
    isByLines,
    isTelling: false,
    hasWholeEdit: false,
    lastAt: 0,
    byTurn: new Map<number, number>(),
  };
  share.lines += isByLines ? lines : 0;
  share.weight += lines;
  share.isByLines ||= isByLines;
  share.isTelling ||= more.isTelling === true;
  share.hasWholeEdit ||= more.hasWholeEdit === true;
  share.lastAt = Math.max(share.lastAt, at);
  share.byTurn.set(turn, (share.byTurn.get(turn) ?? 0) + lines);
  shares.set(sessionDbId, share);
}

function toLink(share: Share, { authoredAt }: CommitFacts): CommitLink {
  const { sessionDbId, lines, weight, whole, isByLines, lastAt, byTurn } = share;
  const promptNumber = [...byTurn].toSorted((a, b) => b[1] - a[1] || b[0] - a[0])[0]?.[0] ?? 0;
  const part = weight / whole;
  const gap = Math.max(0, authoredAt - lastAt);
  const score = isByLines ? Math.max(part, Math.min(1, lines / MANY_LINES)) : part / (1 + gap / NEAR_MS);
  const confidence = isByLines ? 0.55 + 0.4 * score : 0.35 + 0.6 * score;
  const [low, high] = [
    share.hasWholeEdit ? WHOLE_EDIT : 0,
    isByLines && !share.isTelling ? SHORT_LINES : MAX_CONFIDENCE,
  ];
  return {
    sessionDbId,
    promptNumber,
    basis: isByLines ? "lines" : "files",
    confidence: Math.round(Math.min(high, Math.max(low, confidence)) * 100) / 100,
  };
}
