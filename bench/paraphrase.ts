// Measures search with descriptions of sessions, in which words are replaced by synonyms and rare words left out.
import { camelParts, STOP_WORDS, wordsOf } from "../src/core/words.ts";
import type { SemanticQuery } from "../src/recall/search/semantic.ts";
import { searchSessions } from "../src/recall/search/search.ts";
import type { Db } from "../src/store/db/driver.ts";
import { embedQueries, type IndexSet } from "./indexes.ts";
import { percent } from "./measure.ts";
import { readIntents, type RealStore, withRealSessions } from "./real-sessions.ts";

/** Pairs of a word and its synonym. */
const SYNONYMS = new Map(
  `add introduce|adds introduces|added introduced|adding introducing|fix repair|fixes repairs|fixed repaired|fixing repairing|remove drop|removes drops|removed dropped|removing dropping
  change alter|changes alterations|update refresh|updated refreshed|updates refreshes|create produce|created produced|implement build|implemented built|implementing building|support handle|display present|displays presents|displayed presented
  show reveal|shows reveals|improve enhance|replace swap|replaced swapped|rename relabel|renamed relabelled|move relocate|moved relocated|merge combine|merged combined|check inspect|verify confirm|ensure guarantee|prevent stop|avoid sidestep
  run execute|runs executes|running executing|start begin|error failure|errors failures|failing broken|failed broken|bug defect|bugs defects|issue problem|issues problems|test trial|tests trials|testing trialling
  file document|files documents|folder directory|directory folder|page screen|pages screens|button control|buttons controls|tab pane|tabs panes|list enumeration|table grid|layout arrangement|section part|sections parts|header heading|link hyperlink|links hyperlinks
  user person|users people|repository codebase|project undertaking|branch fork|documentation manual|docs manual|readme manual|message notice|messages notices|text wording|name label|names labels|value figure|values figures|option choice|options choices|setting preference|settings preferences
  configuration setup|config setup|feature capability|features capabilities|component widget|components widgets|function routine|functions routines|method routine|server backend|client consumer|database store|query lookup|search lookup|filter narrow|filters narrows
  sort order|group bundle|grouped bundled|select pick|selected picked|selection pick|click press|open unfold|close shut|hide conceal|enable permit|disable forbid|allow permit|require demand|default standard|new fresh|old former|existing present|multiple several|single sole
  entire whole|complete finish|completed finished|initial first|final last|large big|small little|fast quick|slow sluggish|simple plain|clear evident|correct right|wrong incorrect|missing absent|empty blank|full whole|unused idle|duplicate repeated|history past|result outcome|results outcomes
  review examine|analyze study|analysis study|plan scheme|design blueprint|redesign rework|refactor restructure|structure shape|format shape|type sort|types sorts|code source|command instruction|commands instructions|tool instrument|tools instruments|agent assistant|agents assistants|session conversation|sessions conversations
  login signin|password secret|key token|upload send|download fetch|save keep|store keep|load read|read consult|write record|delete erase|deploy release|release publish|build compile|install set-up|version edition|package bundle|dependency requirement|dependencies requirements|mention note|clarify explain|describe explain`
    .split(/[|\n]/)
    .map((pair) => pair.trim().split(" ") as [string, string]),
);
/** A word that a smaller share of the repository's sessions has is left out: it could identify the session. */
const MIN_SESSIONS_SHARE = 0.2;

interface Reworded {
  sessionId: string;
  repo: string;
  text: string;
}

export const benchParaphrase = (): Promise<void> => withRealSessions("paraphrase", measure);

async function measure(real: RealStore): Promise<void> {
  const { db } = real;
  const words = sessionWords(db);
  const asked = readIntents()
    .map(({ intent, ...rest }) => ({ ...rest, text: reword(intent, sharesOf(words, real, rest.repo)) }))
    .filter(({ text }) => wordsOf(text).length >= 3);
  console.log(`Finding a session by a paraphrase (${asked.length} queries), e.g. "${asked[0]?.text}"`);
  const shared = asked.map(({ sessionId, text }) => shareOf(contentWords(text), words.get(sessionId) ?? new Set()));
  const mean = shared.reduce((sum, share) => sum + share, 0) / shared.length;
  console.log(
    `  share of a query's words in its session: ${percent(mean, 1, 0)} (not reworded: ${percent(shareBeforeRewording(words), 1, 0)})`,
  );
  const { indexSets, vectors } = await embedQueries(db, real.home, asked);
  console.log("  any@k: percent of queries whose session is among the first k");
  for (const { name, without } of indexSets) {
    const ranks = asked.map((query, index) => rankOf(real, query, vectors[index], without));
    const within = (limit: number): string =>
      ((100 * ranks.filter((rank) => rank >= 0 && rank < limit).length) / asked.length).toFixed(1).padStart(7);
    console.log(`  ${name.padEnd(14)} any@1${within(1)}  any@5${within(5)}`);
  }
}

function rankOf(
  { db, repos }: RealStore,
  { sessionId, repo, text }: Reworded,
  meaning: SemanticQuery | undefined,
  without: IndexSet["without"],
): number {
  const ids = new Map(
    db
      .all<{ id: number; session_id: string }>("SELECT id, session_id FROM sessions")
      .map((row) => [row.id, row.session_id]),
  );
  const accept = (id: number): boolean => repos.get(ids.get(id) ?? "") === repo;
  const options = { limit: 50, accept, meaning, without };
  return searchSessions(db, text, options).hits.findIndex((hit) => ids.get(hit.session) === sessionId);
}

/** Replaces words by synonyms. Leaves out names, and words that few sessions have. */
function reword(text: string, shares: ReadonlyMap<string, number>): string {
  const kept = text.split(/\s+/).flatMap((token) => {
    const word = token.toLowerCase().replace(/^[^a-z0-9]+|[^a-z0-9]+$/g, "");
    const synonym = SYNONYMS.get(word);
    if (synonym !== undefined) return [synonym];
    if (STOP_WORDS.has(word)) return [word];
    const isName = /[^a-z-]/.test(word) || camelParts(token, 64).length > 0;
    return isName || (shares.get(word) ?? 0) < MIN_SESSIONS_SHARE ? [] : [word];
  });
  return kept.join(" ");
}

function contentWords(text: string): Set<string> {
  return new Set(wordsOf(text.toLowerCase()).filter((word) => !STOP_WORDS.has(word)));
}

function shareOf(words: ReadonlySet<string>, held: ReadonlySet<string>): number {
  return words.size === 0 ? 0 : [...words].filter((word) => held.has(word)).length / words.size;
}

function shareBeforeRewording(words: ReadonlyMap<string, Set<string>>): number {
  const shares = readIntents().map(({ sessionId, intent }) =>
    shareOf(contentWords(intent), words.get(sessionId) ?? new Set()),
  );
  return shares.reduce((sum, share) => sum + share, 0) / shares.length;
}

/** The words of each session's prompts and messages. */
function sessionWords(db: Db): Map<string, Set<string>> {
  const words = new Map<string, Set<string>>();
  const rows = db.all<{ id: string; text: string }>(
    `SELECT coalesce(q.session_id, s.session_id) AS id, text FROM
       (SELECT session_db_id, text FROM prompts UNION ALL SELECT session_db_id, text FROM messages) t
       JOIN sessions s ON s.id = t.session_db_id LEFT JOIN sessions q ON q.id = s.parent_session_db_id`,
  );
  for (const { id, text } of rows) {
    const own = words.get(id) ?? new Set();
    words.set(id, own);
    for (const word of wordsOf(text.toLowerCase())) own.add(word);
  }
  return words;
}

/** For each word, the share of the repository's sessions that have it. */
function sharesOf(words: ReadonlyMap<string, Set<string>>, { repos }: RealStore, repo: string): Map<string, number> {
  const counts = new Map<string, number>();
  const own = [...words].filter(([id]) => repos.get(id) === repo);
  for (const [, held] of own) for (const word of held) counts.set(word, (counts.get(word) ?? 0) + 1 / own.length);
  return counts;
}
