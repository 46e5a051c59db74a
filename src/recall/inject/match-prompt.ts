// Decides whether memory has something specific to say about a text, and what: rare words that meet in one observation.
import { tailsOf } from "../../core/query.ts";
import { wordsOf } from "../../core/words.ts";
import { observationsAbout } from "../../store/tables/observation-keys.ts";
import {
  countStanding,
  countTurns,
  observationsByIds,
  rowsWithWord,
  turnsWithWord,
} from "../../store/fts/observation-words.ts";
import { observationOf, type ObservationRow } from "../../store/tables/observations.ts";
import type { Db } from "../../store/db/driver.ts";
import type { Asked } from "./parse-prompt.ts";

export interface Match {
  row: ObservationRow;
  /** What of the text it has: rare words, and files. */
  words: string[];
  score: number;
}

export interface GateRequest {
  projectId: number;
  /** What happened in this session is still known. */
  ownSessionId: number | undefined;
  /** Ids that were shown in full. */
  shown: ReadonlySet<string>;
  /** 0: as usual; higher: what is shown here is seldom used, so more has to speak for it. */
  quiet: number;
}

export interface GateAnswer {
  kind: "digest" | "pointer" | "silent";
  matches: Match[];
}

/** Of the project's observations, the share that may have a word that still says something. */
const INFORMATIVE_SHARE = 0.06;
const MIN_INFORMATIVE = 3;
/** Of its turns: memory is small, talk is not, and shows what everybody says all the time. */
const RARE_TURNS_SHARE = 0.08;
const MIN_RARE_TURNS = 4;
const MAX_WORDS = 60;
const MAX_COUNTED = 5_000;
const MAX_PATHS = 8;
const FILE_ROWS = 12;
/** A file as good as everything was done in tells nothing. */
const FILE_SHARE = 0.08;
const CANDIDATES = 12;

export function matchPrompt(db: Db, asked: Asked, request: GateRequest): GateAnswer {
  const total = countStanding(db, request.projectId, MAX_COUNTED);
  if (total === 0) return SILENT;
  const votes = new Map<number, { words: string[]; weight: number; rare: number }>();
  const vote = (id: number, word: string, weight: number, rare: number): void => {
    const known = votes.get(id) ?? { words: [], weight: 0, rare: 0 };
    votes.set(id, { words: [...known.words, word], weight: known.weight + weight, rare: known.rare + rare });
  };
  const known = countWords(db, asked, request.projectId, total, vote);
  countFiles(db, asked, request.projectId, total, vote);
  const best = [...votes].sort(([, a], [, b]) => b.weight - a.weight).slice(0, CANDIDATES);
  const rows = new Map(
    observationsByIds(
      db,
      best.map(([id]) => id),
    ).map((row) => [row.id, row]),
  );
  if (best.length === 0) return SILENT;
  const { ownSessionId = -1, shown, quiet } = request;
  const matches = best.flatMap(([id, { words, weight, rare }]) => {
    const row = rows.get(id);
    if (row === undefined || row.session_db_id === ownSessionId || shown.has(`o${id}`)) return [];
    return [{ row, words, rare, score: weight * worth(row) }];
  });
  matches.sort((a, b) => b.score - a.score);
  return judge(matches, asked, known, quiet);
}

const SILENT: GateAnswer = { kind: "silent", matches: [] };

type Vote = (id: number, word: string, weight: number, rare: number) => void;

/** Returns how many words of the text memory knows of at all. */
function countWords(db: Db, asked: Asked, projectId: number, total: number, vote: Vote): number {
  const informative = Math.max(MIN_INFORMATIVE, Math.floor(total * INFORMATIVE_SHARE));
  const rareTurns = Math.max(MIN_RARE_TURNS, Math.floor(countTurns(db, projectId, MAX_COUNTED) * RARE_TURNS_SHARE));
  let known = 0;
  for (const word of asked.words.slice(0, MAX_WORDS)) {
    const ids = rowsWithWord(db, word, projectId, informative + 1);
    if (ids.length === 0) continue;
    known += 1;
    if (ids.length > informative) continue;
    const weight = Math.log(1 + total / ids.length) * (asked.names.has(word) ? 1.5 : 1);
    const isRare = turnsWithWord(db, word, projectId, rareTurns + 1) <= rareTurns;
    for (const id of ids) vote(id, word, weight * (isRare ? 1 : 0.5), isRare ? (asked.names.has(word) ? 2 : 1) : 0);
  }
  return known;
}

function countFiles(db: Db, asked: Asked, projectId: number, total: number, vote: Vote): void {
  const most = Math.max(MIN_INFORMATIVE, Math.floor(total * FILE_SHARE));
  for (const path of asked.paths.slice(0, MAX_PATHS)) {
    // A bare name may be any file's; with a folder before it, it is one.
    for (const tail of tailsOf(path).filter((each) => each === path || each.includes("/"))) {
      const rows = observationsAbout(db, { kind: "file", key: tail }, projectId, FILE_ROWS);
      if (rows.length === 0) continue;
      if (rows.length <= most) for (const { id } of rows) vote(id, tail, 2 * Math.log(1 + total / rows.length), 1);
      break;
    }
  }
}

const TYPE_WORTH = { decision: 1.2, bugfix: 1.15, discovery: 1.1, feature: 1, refactor: 0.9, change: 0.9 };
const ORIGIN_WORTH = { user: 1.1, assistant: 1, tool: 0.75 };

/** What people said goes before what a tool printed. */
function worth(row: ObservationRow): number {
  const { type, origin } = observationOf(row);
  return TYPE_WORTH[type] * ORIGIN_WORTH[origin] * (row.pinned === 1 ? 1.5 : 1);
}

const DIGEST_ITEMS = 3;
const RARE_WORDS = 3;
const TITLE_WORDS = 2;
/** A long text shares two words with anything: it has to share more. */
const WORDS_PER_MATCH = 60;
/** A longer text names many things in passing. */
const POINTER_WORDS = 40;
/** What is far behind the best is about something else. */
const NEAR_BEST = 0.6;

function judge(matches: (Match & { rare: number })[], asked: Asked, known: number, quiet: number): GateAnswer {
  const [best] = matches;
  if (best === undefined) return SILENT;
  const needed = RARE_WORDS + Math.floor(known / WORDS_PER_MATCH) + quiet;
  const strong = matches.filter(
    ({ row, words, rare, score }) =>
      score >= best.score * NEAR_BEST && (asked.isWide ? rare > 0 : rare >= needed && isAbout(row, words)),
  );
  if (strong.length > 0) return { kind: "digest", matches: strong.slice(0, DIGEST_ITEMS) };
  if (quiet > 0 || asked.words.length > POINTER_WORDS) return SILENT;
  const named = matches.find(
    ({ row, words, rare }) => rare > 0 && words.some((word) => asked.names.has(word) && isNamed(row, word)),
  );
  return named === undefined ? SILENT : { kind: "pointer", matches: [named] };
}

/** A word in passing is not what it is about: one has to stand in its title or in the name of a file. */
function isAbout(row: ObservationRow, words: readonly string[]): boolean {
  const text = `${row.title}\n${row.files}`.toLowerCase();
  const n = words.length > 1 ? TITLE_WORDS : 1;
  return words.filter((word) => text.includes(word.slice(0, Math.max(4, word.length - 2)))).length >= n;
}

/** The name itself: `pubKey` is not what `truncatePubkey` is about. */
function isNamed(row: ObservationRow, name: string): boolean {
  return wordsOf(`${row.title}\n${row.files}`).some((word) => word.toLowerCase() === name);
}
