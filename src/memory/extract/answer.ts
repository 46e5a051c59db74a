// What the assistant said it had done: its last words of the turn, and of those the sentence that says it best.
import type { TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { capitalise } from "./ask.ts";
import { type Block, readBlocks, sentencesOf } from "../../core/prose.ts";

export interface Answer {
  /** Item id of what it was said in. */
  id: string;
  blocks: Block[];
  /** The sentence that says what was done, "" if none does. */
  headline: string;
  /** It says so outright: "Added …", "X now does …". */
  isPlain: boolean;
  /** It is better than the bare names of files. */
  isTelling: boolean;
  /** What it is good for: "This stops the flood of requests." */
  outcome: string;
  /** What was done, point by point. */
  points: string[];
}

export function readAnswer(evidence: TurnEvidence): Answer {
  const last = evidence.messages.findLast(
    ({ role, text, isSubagent }) => role === "assistant" && !isSubagent && text.trim() !== "",
  );
  const { response, id } = evidence.prompt;
  // A session that only hooks have seen has no messages: its last words are with the prompt.
  const blocks = readBlocks(last?.text ?? response);
  const { text, score } = headlineOf(blocks);
  return {
    id: last?.id ?? id,
    blocks,
    headline: text,
    isPlain: score >= PLAIN_SCORE,
    isTelling: score >= TELLING_SCORE,
    outcome: outcomeOf(blocks),
    points: pointsOf(blocks),
  };
}

const OUTCOME =
  /^(?:this|that|these|it) (?:change |fix )?(?:now )?(?:stops?|prevents?|means|ensures?|eliminates?|fix(?:es)?|avoids?|makes?|keeps?|allows?|lets|removes?|restores?|gives?)\b/i;

function outcomeOf(blocks: readonly Block[]): string {
  const sentences = blocks.filter(({ kind }) => kind === "text").flatMap(({ text }) => sentencesOf(text));
  return sentences.find((text) => OUTCOME.test(text) && text.length <= MAX_CHARS && !text.endsWith(":")) ?? "";
}

const VERBS =
  "added|fixed|updated|removed|renamed|moved|changed|created|implemented|replaced|refactored|extracted|consolidated|switched|introduced|wrapped|migrated|merged|published|restored|reverted|improved|simplified|enabled|disabled|bumped|configured|wired|deleted|redesigned|rewrote|rewritten|split|converted|dropped|extended|resolved|corrected|normali[sz]ed|optimi[sz]ed|upgraded|downgraded|pinned|released|deployed|documented|clarified|aligned|adjusted|reworked|hardened|tightened|cleaned up|set up|opened|closed|installed|registered|exposed|propagated|threaded|hid|made|built|flattened|reduced|increased|deduplicated|cached|patched|stopped|tracked|applied|rebased|reorganized|standardized|stripped|swapped|unified|verified|confirmed|investigated|recorded|scoped|filed";
const DONE = new RegExp(
  String.raw`^(?:i(?:'ve|’ve| have)?|we(?:'ve|’ve| have)?)?\s*(?:also |now |just |successfully )?(?:${VERBS})\b`,
  "i",
);
const SAID_BEFORE =
  /^(?:(?:yes|yep|done|perfect|great|good|ok(?:ay)?|all done|fixed|correct|agreed|excellent|understood)[.,!:;—–-]+\s*(?:i (?:made|did) (?:that|this|it)[.,]?\s*)?)+/i;
const FILLER =
  /^(?:(?:here(?:'s|’s| is| are)|below|the following|summary|changes?(?: made)?|what (?:changed|i did|was done)|files? (?:changed|modified)|all (?:done|set|good|clean|checks|tests|fixes|changes|three|four|five|of|\d)|everything|both|done|perfect|great|excellent|sure|now|let me|let's|i(?:'ll|’ll| will|'m|’m| am) |next|to (?:test|verify|run|use)|you can|you'll|want me|would you|should i|shall i|ready|committed|pushed|result|checks? run|verification|verified|tests? (?:pass|run)|the (?:remaining|other|working tree|commit|branch|build|tests?)\b.*(?:clean|pass|unrelated|pre-existing|created)|no (?:other |further )?(?:changes|issues|errors)|note|take a look|have a look|pr created|pr opened|merge committed|worktree|fixed and pushed|problem|root cause|the (?:only|root|fix (?:is|was) (?:a|an|in|simple))|short answer|honestly|that's|this is ready|it(?:'s|’s| is) (?:done|ready|clean))\b)/i;
/** "PR: https://…" says where, and what is ticked off says that it was looked at: neither says what was done. */
const LABEL = /^(?:commits?|branch|pr|url|link):|[✅✓☑]\uFE0F?$/iu;
const MIN_CHARS = 20;
const MAX_CHARS = 220;

/** What one has with a verb of doing, or with "now" and a name. */
const PLAIN_SCORE = 2.2;
const TELLING_SCORE = 1.3;

function headlineOf(blocks: readonly Block[]): { text: string; score: number } {
  let best = { text: "", score: 0 };
  const candidates = blocks.filter(({ kind }) => kind !== "heading").slice(0, 14);
  for (const [index, block] of candidates.entries()) {
    for (const [position, sentence] of sentencesOf(block.text).slice(0, 3).entries()) {
      const rest = capitalise(withoutPerson(sentence.replace(SAID_BEFORE, "")));
      // What was wrong reads as what was done, without the word before it.
      const text = FIXED_IS.test(sentence) ? `Fixed: ${rest}` : rest;
      const isFix = FIX_IS.test(sentence) && !FIX_IS.test(text);
      const score = scoreOf(text, block) + (isFix ? 1.5 : 0) - index * 0.25 - position * 0.4;
      if (score > best.score) best = { text, score };
    }
  }
  return { ...best, text: best.text.replace(/[:;]$/, ".") };
}

function scoreOf(text: string, block: Block): number {
  if (text.length < MIN_CHARS || text.length > MAX_CHARS || text.endsWith("?")) return 0;
  if (FILLER.test(text) || LABEL.test(text)) return 0;
  if (/[:]$/.test(text)) return 0;
  let score = 1;
  if (DONE.test(text)) score += 3;
  if (/\bnow\b/.test(text)) score += 1.5;
  if (isSpecific(text)) score += 1;
  // An item of a list says what was done only where it says so outright.
  if (block.kind === "item") score -= DONE.test(text) || /\bnow\b/.test(text) ? 1 : 3;
  if (/\b(?:lint|typecheck|tests? pass|working tree|unrelated|pre-existing)\b/i.test(text)) score -= 2;
  return score;
}

/** "The fix was switching to …" says what was done after its first words. */
const FIX_IS =
  /^the (?:fix|change|solution) (?:was|is)(?: simple)?[:—–-]?\s+(?:to )?(?=[a-z]+ing\b|(?:add|use|remove|switch|make|change|move|wrap)\b)/i;

/** "Fixed: `save` stored only the titles". */
const FIXED_IS = /^(?:the )?(?:bug |issue |problem )?(?:is )?fixed[:—–-]\s*(?=\S+ )/i;

function withoutPerson(text: string): string {
  return text
    .replace(FIX_IS, "")
    .replace(
      /^(?:i|we)(?:'ve|’ve| have)?\s+(?=(?:also |now |just |successfully )?[a-z]+ed\b|made\b|built\b|set\b|split\b|rewrote\b|hid\b)/i,
      "",
    );
}

const MAX_POINTS = 6;
const POINT_CHARS = 12;
/** What comes after the work: how to try it, what is left, what was run to check it. */
const ASIDE =
  /\b(?:next|test(?:s|ing)?|verif\w+|check(?:s|ed)?|try|usage|how to|remaining|todo|follow|option|alternativ\w+|question|link|reference|pr\b|unrelated|limitation|note)/i;

function pointsOf(blocks: readonly Block[]): string[] {
  return blocks
    .filter(({ kind, section, text }) => kind === "item" && !ASIDE.test(section) && text.length >= POINT_CHARS)
    .filter(({ text }) => !/[?:]$/.test(text) && !/^(?:run|test|verify|check|lint|typecheck|build)\b/i.test(text))
    .map(({ text, section }) => (isPath(section) ? `${section.replaceAll("`", "")}: ${text}` : text))
    .slice(0, MAX_POINTS);
}

function isPath(section: string): boolean {
  return /^`?[\w@./-]+\.\w{1,5}`?$/.test(section);
}

/** Names something that can be looked up: a file, a function, a number, a command. */
export function isSpecific(text: string): boolean {
  return /`[^`]+`|\b[\w-]+\.[a-z]{1,5}\b|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w*|\b[A-Z]{2,}[\w-]*|\w_\w|\d{2,}|"[^"]{2,}"|“[^”]{2,}”|(?:^|\s)[./~]?\w+\/\w+|#\d+/.test(
    text,
  );
}
