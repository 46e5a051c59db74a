// Finds earlier turns that a prompt asks about, and the sentences of their answers that fit.
import { readBlocks, sentencesOf } from "../../core/prose.ts";
import type { Db } from "../../store/db/driver.ts";
import { turnIdsWithWord } from "../../store/fts/observation-words.ts";
import { type AnsweredTurn, answeredTurns } from "../../store/reads/answered-turns.ts";
import { wrongItems } from "../../store/tables/wrong-items.ts";
import { issuesOf, isSameIssue, type NamedIssue } from "./named-issues.ts";
import type { MatchRequest } from "./match-prompt.ts";
import { chooseSentences, isStrongMatch, type PromptWords, shareOf, wordsIn } from "./prompt-words.ts";

export interface TurnAnswer {
  turn: AnsweredTurn;
  sentences: string[];
  /** The share of the prompt's rare words that the sentences have, by weight: 0 to 1. */
  share: number;
}

/** Some are of the session itself. */
const MAX_READ = 80;
const CANDIDATES = 24;
/** Of answers that fit about as well, the newest is the likeliest to be still true. */
const NEAR_BEST = 0.85;

/** The best answer of an earlier session. Undefined without strong evidence that the prompt asks for it. */
export function matchTurn(db: Db, parts: readonly PromptWords[], request: MatchRequest): TurnAnswer | undefined {
  const votes = new Map<number, number>();
  for (const { turns, weight } of parts[0]?.rare ?? [])
    for (const id of turns) votes.set(id, (votes.get(id) ?? 0) + weight);
  const ids = [...votes].sort(([a, x], [b, y]) => y - x || b - a).map(([id]) => id);
  const turns = injectableTurns(db, ids.slice(0, MAX_READ), request).slice(0, CANDIDATES);
  const rated = turns.flatMap((turn) => parts.flatMap((words) => rateTurn(turn, words, request) ?? []));
  const best = Math.max(0, ...rated.map(({ coverage }) => coverage));
  return rated
    .filter(({ coverage }) => coverage >= best * NEAR_BEST)
    .sort((a, b) => b.answer.turn.at - a.answer.turn.at)[0]?.answer;
}

function injectableTurns(db: Db, ids: readonly number[], { ownSessionId, shown }: MatchRequest): AnsweredTurn[] {
  const wrong = wrongItems(db);
  // A session that was shown was only shown by its title and outcome, so its answers may still be injected.
  return answeredTurns(db, ids, ownSessionId).filter(
    ({ id, sessionDbId }) => !shown.has(`p${id}`) && !wrong.has(`p${id}`) && !wrong.has(`session:${sessionDbId}`),
  );
}

/** Longer prompts have pasted text below the request. */
const ASKED_CHARS = 1_500;
/** The sentences must have this share themselves: else they are about something else. */
const SAID_SHARE = 0.25;

function rateTurn(turn: AnsweredTurn, words: PromptWords, { throttle }: MatchRequest) {
  const inTurn = words.rare.filter(({ turns }) => turns.includes(turn.id));
  const sentences = chooseSentences(statements(turn.response), inTurn);
  const said = wordsIn(sentences.join(" "), inTurn);
  const share = shareOf(said, words.totalWeight);
  if (share < SAID_SHARE) return undefined;
  const both = [...new Set([...said, ...wordsIn(turn.prompt.slice(0, ASKED_CHARS), inTurn)])];
  if (!isStrongMatch(sentences, both, words, { throttle })) return undefined;
  return { coverage: shareOf(both, words.totalWeight), answer: { turn, sentences, share } };
}

const MAX_NAMING = 200;
const MAX_RESULT_SENTENCES = 2;

/** What the newest turn of an earlier session that names this issue or pull request said about it. */
export function matchIssue(db: Db, issue: NamedIssue, request: MatchRequest): TurnAnswer | undefined {
  const isNamed = (text: string): boolean => issuesOf(text).some((other) => isSameIssue(issue, other));
  const ids = turnIdsWithWord(db, String(issue.number), request.projectId, MAX_NAMING).sort((a, b) => b - a);
  for (const turn of injectableTurns(db, ids, request)) {
    const all = statements(turn.response);
    const about = all.filter(isNamed).slice(0, MAX_SENTENCES);
    // An answer to a prompt about the issue need not repeat its number.
    const result = isNamed(turn.prompt.slice(0, ASKED_CHARS)) ? all.slice(0, MAX_RESULT_SENTENCES) : [];
    const sentences = about.length > 0 ? about : result;
    if (sentences.length > 0) return { turn, sentences, share: 1 };
  }
  return undefined;
}

const MAX_SENTENCES = 3;
const MIN_SENTENCE_CHARS = 45;
const MAX_SENTENCE_CHARS = 320;

/** Status, offers, questions and remarks about the conversation say nothing about the project. */
const IDLE =
  /\?$|:$|^(?:let(?: me|'s)|i(?:'ll|'m|'d| will| am| would| can| could)\b|we(?:'ll| can| could)\b|now,? (?:let|i)|next|want me|would you|should i|shall i|do you|if you\b|say the word|just (?:say|tell)|ready (?:to|for)|you(?:'re| can| could| should)\b|try\b|your\b|good\b|great\b|perfect\b|sure\b|yes\b|no[,.]|sorry\b|thanks\b|understood\b|done\b|here(?:'s| is| are)|the following|asked:|offered:|happy to|feel free|all (?:tests|checks|finished)|git (?:status|worktree)|working tree)|\b(?:still|currently) (?:running|working|waiting|investigating|in progress|pending)\b/i;

/** The sentences of an answer that may say something about the project. */
export function statements(response: string): string[] {
  const sentences = readBlocks(response)
    .filter(({ kind }) => kind !== "heading")
    .flatMap(({ text }) => sentencesOf(text))
    .filter(
      (text) =>
        text.length >= MIN_SENTENCE_CHARS && text.length <= MAX_SENTENCE_CHARS && !IDLE.test(text.replaceAll("’", "'")),
    );
  return [...new Set(sentences)];
}
