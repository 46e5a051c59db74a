// The patterns that classify prompts, each with an example that it matches.

type SentencePattern = readonly [example: string, pattern: RegExp];

const SENTENCES = {
  planPreamble: [
    "Implement the following plan:",
    /^(?:please )?(?:implement|execute|carry out|follow) the (?:following|below|attached) plan/i,
  ],
  question: [
    "so how does the cache expire",
    /^(?:(?:ok|so|and|also|but|hmm+|wait|then|now|well),?\s+)*(?:what|how|why|where|when|which|who|is|are|was|were|does|do|did|has|have|should|isn'?t|aren'?t|doesn'?t|don'?t (?:we|you|they)|will|any (?:idea|reason))\b/i,
  ],
  taskAsQuestion: ["Can you add a test?", /\b(?:can|could|would|will) (?:you|we)\b/i],
  opening: [
    "ok so now add a test",
    /^(?:(?:ok(?:ay)?|so|now|and|also|please|then|hey|hi|hello|great|perfect|cool|nice|alright|hmm+|yes|yeah|yep|no|well|right|sure|thanks|actually|first|next|sorry|oh|wait|ahh?|uu*m|uh)\b[,.!:;]*\s+)+/i,
  ],
  politeness: [
    "Could you please add a test",
    /^(?:(?:do you think )?(?:can|could|would|will) (?:you|we)(?: (?:please|also|maybe|now|then|just|quickly))*|please|i (?:want|need|would like|'d like) (?:you )?to|i'd like (?:you )?to|let'?s|we (?:need|have|want) to|you should|i think we (?:should|must)|we should|go ahead and|help me(?: to)?)\s+/i,
  ],
} as const satisfies Record<string, SentencePattern>;

type SentenceKind = keyof typeof SENTENCES;

export const SENTENCE_PATTERNS = Object.entries<SentencePattern>(SENTENCES).map(
  ([kind, row]) => [kind, ...row] as const,
);

/** True if the sentence is of at least one of these kinds. */
export function matches(sentence: string, ...kinds: SentenceKind[]): boolean {
  return kinds.some((kind) => SENTENCES[kind][1].test(sentence));
}

/** Removes the part that the pattern matches. */
export function strip(sentence: string, kind: SentenceKind): string {
  return sentence.replace(SENTENCES[kind][1], "");
}
