// The patterns that classify sentences of prompts and messages, each with an example that it matches.

type SentencePattern = readonly [example: string, pattern: RegExp];

const VERBS_OF_WORK =
  "added|fixed|updated|removed|renamed|moved|changed|created|implemented|replaced|refactored|extracted|consolidated|switched|introduced|wrapped|migrated|merged|published|restored|reverted|improved|simplified|enabled|disabled|bumped|configured|wired|deleted|redesigned|rewrote|rewritten|split|converted|dropped|extended|resolved|corrected|normali[sz]ed|optimi[sz]ed|upgraded|downgraded|pinned|released|deployed|documented|clarified|aligned|adjusted|reworked|hardened|tightened|cleaned up|set up|opened|closed|installed|registered|exposed|propagated|threaded|hid|made|built|flattened|reduced|increased|deduplicated|cached|patched|stopped|tracked|applied|rebased|reorganized|standardized|stripped|swapped|unified|verified|confirmed|investigated|recorded|scoped|filed";

const SENTENCES = {
  // In prompts.
  planPreamble: [
    "Implement the following plan:",
    /^(?:please )?(?:implement|execute|carry out|follow) the (?:following|below|attached) plan/i,
  ],
  question: [
    "so how does the cache expire",
    /^(?:(?:ok|so|and|also|but|hmm+|wait|then|now|well),?\s+)*(?:what|how|why|where|when|which|who|is|are|was|were|does|do|did|has|have|should|isn'?t|aren'?t|doesn'?t|don'?t (?:we|you|they)|will|any (?:idea|reason))\b/i,
  ],
  taskAsQuestion: ["Can you add a test?", /\b(?:can|could|would|will) (?:you|we)\b/i],
  statusQuestion: [
    "Are we done?",
    /\b(?:status|ready to (?:merge|go|push)|finished|are we done|progress|outstanding|how did (?:it|the|that)|did (?:it|that|you) (?:work|push|commit|finish)|what(?:'s| is) (?:next|left)|up to date|still (?:running|failing|open))\b/i,
  ],
  opening: [
    "ok so now add a test",
    /^(?:(?:ok(?:ay)?|so|now|and|also|please|then|hey|hi|hello|great|perfect|cool|nice|alright|hmm+|yes|yeah|yep|no|well|right|sure|thanks|actually|first|next|sorry|oh|wait|ahh?|uu*m|uh)\b[,.!:;]*\s+)+/i,
  ],
  politeness: [
    "Could you please add a test",
    /^(?:(?:do you think )?(?:can|could|would|will) (?:you|we)(?: (?:please|also|maybe|now|then|just|quickly))*|please|i (?:want|need|would like|'d like) (?:you )?to|i'd like (?:you )?to|let'?s|we (?:need|have|want) to|you should|i think we (?:should|must)|we should|go ahead and|help me(?: to)?)\s+/i,
  ],
  instruction: [
    "The list should stay sorted",
    /\b(?:must(?:n't| not)?|never|always|do(?:n't| not)|should(?:n't| not| always| never| only| be| have| live| use| stay)|instead of|rather than|not .{2,40} but|prefer|no longer|avoid|only (?:use|when|if|the|for)|make sure|ensure|no need|don'?t need|we(?:'ve| have)? decided|i(?:'ve)? decided|let'?s (?:use|keep|go with|not|stick|drop|call)|stick (?:to|with)|going forward|from now on|by default|what i (?:said|meant|want)|not what i|i (?:don'?t|do not) (?:like|want)|keep (?:it|the|this)|call it)\b/i,
  ],
  standingRule: [
    "Never log tokens",
    /\b(?:never|always(?! (?:visible|shown?|on\b|available|open))|must|from now on|going forward|by default|decided|instead of|rather than|prefer|no longer|do not|don'?t need)\b/i,
  ],
  /** A long prompt is a specification: only these of its sentences are lasting rules. */
  insistence: ["It MUST be idempotent", /\b(?:MUST|NEVER|ALWAYS|NOT|must not|never|always|do not)\b/],
  wish: [
    "There is no need for a lock",
    /\bshould(?:n't| not| be| have| live| use| stay)?\b|\bno need\b|\bnot what i\b/i,
  ],
  report: [
    "It looks like it never runs",
    /\?$|^(?:(?:it )?looks like|i (?:thought|tried|tested|got|see|saw|noticed|think it|don'?t (?:know|understand|see|think))|why|how|what|it seems|seems|looks like|not sure|error|warning|exit code|failed|expected|received|currently)\b|\b(?:not working|doesn'?t work|didn'?t work)\b/i,
  ],
  /** A question, with or without a question mark. */
  suggestion: [
    "Should we not always use UTC",
    /^(?:if [^,]{3,80},\s*)?(?:(?:so|and|but|also|ok|then),?\s+)*(?:would|wouldn'?t|should|shouldn'?t|could|can|is|isn'?t|are|does|do you|don'?t you)\b|\bwouldn'?t it\b|\b(?:can|could) (?:it|we|you|i)\b|\b(?:maybe|perhaps)\b|\bright\?*$/i,
  ],
  imperative: [
    "Add a retry to the upload",
    /^(?:add|allow|apply|archive|bump|change|check|clean|combine|configure|consolidate|convert|create|debug|delete|deploy|disable|document|drop|enable|ensure|expand|extract|fill|finish|fix|generate|hide|implement|improve|include|increase|initiali[sz]e|install|integrate|investigate|keep|limit|log|make|merge|migrate|move|normali[sz]e|optimi[sz]e|pin|port|publish|push|put|rebase|reduce|refactor|release|remove|rename|reorgani[sz]e|replace|resolve|restore|restructure|revert|rewrite|run|save|set|show|simplify|sort|split|stop|support|switch|sync|test|track|translate|update|upgrade|use|validate|verify|wire|wrap|write)\b/i,
  ],

  // In the agent's messages.
  workDone: [
    "I've added a retry to the upload",
    new RegExp(
      String.raw`^(?:i(?:'ve|’ve| have)?|we(?:'ve|’ve| have)?)?\s*(?:also |now |just |successfully )?(?:${VERBS_OF_WORK})\b`,
      "i",
    ),
  ],
  acknowledgement: [
    "Done. I made that, the upload retries now",
    /^(?:(?:yes|yep|done|perfect|great|good|ok(?:ay)?|all done|fixed|correct|agreed|excellent|understood)[.,!:;—–-]+\s*(?:i (?:made|did) (?:that|this|it)[.,]?\s*)?)+/i,
  ],
  /** "The fix was switching to …": the work begins after these words. */
  fixIs: [
    "The fix was switching to UTC",
    /^the (?:fix|change|solution) (?:was|is)(?: simple)?[:—–-]?\s+(?:to )?(?=[a-z]+ing\b|(?:add|use|remove|switch|make|change|move|wrap)\b)/i,
  ],
  fixedColon: [
    "Fixed: `save` stored only the titles",
    /^(?:the )?(?:bug |issue |problem )?(?:is )?fixed[:—–-]\s*(?=\S+ )/i,
  ],
  firstPerson: [
    "I've wrapped the object",
    /^(?:i|we)(?:'ve|’ve| have)?\s+(?=(?:also |now |just |successfully )?[a-z]+ed\b|made\b|built\b|set\b|split\b|rewrote\b|hid\b)/i,
  ],
  filler: [
    "All tests are green",
    /^(?:(?:here(?:'s|’s| is| are)|below|the following|summary|changes?(?: made)?|what (?:changed|i did|was done)|files? (?:changed|modified)|all (?:done|set|good|clean|checks|tests|fixes|changes|three|four|five|of|\d)|everything|both|done|perfect|great|excellent|sure|now|let me|let's|i(?:'ll|’ll| will|'m|’m| am) |next|to (?:test|verify|run|use)|you can|you'll|want me|would you|should i|shall i|ready|committed|pushed|result|checks? run|verification|verified|tests? (?:pass|run)|the (?:remaining|other|working tree|commit|branch|build|tests?)\b.*(?:clean|pass|unrelated|pre-existing|created)|no (?:other |further )?(?:changes|issues|errors)|note|take a look|have a look|pr created|pr opened|merge committed|worktree|fixed and pushed|problem|root cause|the (?:only|root|fix (?:is|was) (?:a|an|in|simple))|short answer|honestly|that's|this is ready|it(?:'s|’s| is) (?:done|ready|clean))\b)/i,
  ],
  /** A link or a check mark, not a statement of what was done. */
  label: ["PR: https://example.org/pull/1", /^(?:commits?|branch|pr|url|link):|[✅✓☑]\uFE0F?$/iu],
  verification: ["Typecheck is clean", /\b(?:lint|typecheck|tests? pass|working tree|unrelated|pre-existing)\b/i],
  benefit: [
    "This stops the flood of requests.",
    /^(?:this|that|these|it) (?:change |fix )?(?:now )?(?:stops?|prevents?|means|ensures?|eliminates?|fix(?:es)?|avoids?|makes?|keeps?|allows?|lets|removes?|restores?|gives?)\b/i,
  ],
  reason: [
    "Previously every render made a new object",
    /\b(?:because|so that|this (?:stops|prevents|means|ensures|eliminates|fixes|avoids|makes|keeps|allows|lets)|root cause|previously|now|which (?:caused|made|meant))\b/i,
  ],
  decision: [
    "Decision: use one table per agent",
    /^(?:(?:final |key |design )?decision|recommendation|key rule|rule|conclusion)\s*[:—–-]\s+\S|\b(?:we (?:decided|agreed|settled on|chose)|i (?:decided|chose|opted)|by design|(?:intentionally|deliberately) (?:left|kept|excluded|deferred|not|skipped|avoids?|unset|omitted)|i(?:'d|’d| would) (?:standardi[sz]e|recommend|go with|keep|avoid)|my recommendation|we should (?:not|avoid|keep|standardi[sz]e|treat)|the (?:right|better|cleaner) (?:design|approach|choice|call) is)\b/i,
  ],
  undecided: [
    "If it is slow, I would recommend a cache",
    /^if\b|\bseems?\b|:\s(?:removed|added|fixed|updated|changed)\b/i,
  ],
  /** Quotes another text: not a decision or finding of this turn. */
  quotation: [
    "According to the README it is optional",
    /\b(?:says|said|claims|according to|the (?:docs?|readme|issue|spec|comment|page|output|log|instructions?) (?:states?|reads?|tells?|recommends?|asks?))\b/i,
  ],
  finding: [
    "The upload fails because the token expires",
    /\b(?:root cause|turns out|turned out|the (?:real |actual |underlying |core |main )?(?:issue|problem|bug|reason|culprit|cause) (?:is|was|here is)|(?:is|was|are|were) caused by|happens? (?:because|when)|fail(?:s|ed|ing)? (?:because|due to)|that(?:'s|’s| is) why|this is why|works by|the key (?:insight|difference|point)|existed because|didn(?:'|’)t work because|never (?:called|reached|used|updated|set|fires?|triggers?)|is a (?:known|well-known) )/i,
  ],
  explanation: ["It waits due to the lock", /\b(?:because|due to|so that|which means|meaning)\b/i],
  /** Describes how something is: enough for a line in the summary, not for an observation. */
  description: [
    "`load()` reads from the cache",
    /\b(?:already (?:has|have|handles?|supports?|exists?|does|uses?|returns?)|requires?|expects?|stores?|reads? from|is (?:defined|handled|stored|located|called|computed|derived|gated|used) |are (?:defined|handled|stored|derived) |doesn(?:'|’)t |does not |no longer|lives? in|comes? from|picks? up|uses? (?:the |a )?`)/i,
  ],
  doubt: [
    "It might be the cache",
    /\b(?:may|might|maybe|perhaps|possibly|probably|likely|could be|seems?|suspect|i think|let me|unclear|if )\b/i,
  ],
  /** The agent announces or comments on its own actions. */
  narration: [
    "Now I'll run the tests",
    /^(?:(?:so|now|ok|okay|good|great|hmm|wait|yes|no)[,.!]?\s+)?(?:i(?:'m|’m|'ll|’ll| am| will| need| want| left| did| can| was| have)?\b|let(?:'s|’s| me| us)\b|we(?:'ll|’ll| need| can)\b|using |checking |running |next|then )/i,
  ],
  /** Cannot be understood without the question before it. */
  pointing: [
    "It is the same one",
    /^(?:you(?:'re|’re| are)?|it(?:'s|’s)?|that(?:'s|’s)?|this|these|those|they|there|here|not|no|yes|so|but|and|or|honestly|actually|basically|short|slightly|mostly|partly|yep|fair|good|great|both|either|neither|currently|we|my|our|short answer|are|is|was|were|the (?:short|same|answer|difference|main|other|key|only|idea|main))\b/i,
  ],
  agreement: [
    "Good question, the cache expires hourly",
    /^(?:yes|no|yep|nope|correct|right|exactly|good (?:question|catch|point)|great question|short answer|agreed|mostly yes)\b\s*[,.:;!—–-]*\s*(?:(?:but|and|with)\b[^:.]{0,40}:\s*)?/i,
  ],
  openWork: [
    "The docs still need a page",
    /\b(?:still needs?|still (?:open|pending|missing|to do)|remaining (?:work|steps?|tasks?|issues?|items?|todos?)|next up|left to do|not yet|(?:is|are) not \w+ yet|(?:needs?|requires?) (?:a )?follow[- ]?up|you(?:'ll|’ll| will) (?:need|have) to|once (?:merged|that|this|the) .*(?:can|should|will)|after (?:merging|this lands|that lands)|needs? to be|waiting (?:for|on)|blocked (?:by|on)|could not (?:run|verify|test))\b/i,
  ],
  nextStep: ["Next: add the docs", /^(?:the )?next(?::| (?:steps?|action)\b)/i],
  offer: [
    "Want me to push it?",
    /^(?:want me to|would you like(?: me)?(?: to)?|should i|shall i|do you want(?: me)?(?: to)?|ready to)\b/i,
  ],
  /** Names something that can be looked up: a file, a function, a number, a command. */
  specific: [
    "The retry is in src/upload.ts",
    /`[^`]+`|\b[\w-]+\.[a-z]{1,5}\b|\b[a-z]+[A-Z]\w+|\b[A-Z][a-z]+[A-Z]\w*|\b[A-Z]{2,}[\w-]*|\w_\w|\d{2,}|"[^"]{2,}"|“[^”]{2,}”|(?:^|\s)[./~]?\w+\/\w+|#\d+/,
  ],

  // In titles of work.
  fixTitle: [
    "Fix: requests flood the backend",
    /^(?:\S+ ){0,2}(?:fix(?:e[sd]|ing)?(?=\s|:)|resolve[sd]?|repair\w*|correct(?:s|ed)?)\b|\b(?:bug(?:s|gy|ged)?|broken|crash\w*|regression|not working|doesn'?t|isn'?t|wrong|flood\w*|leak\w*|fails?|failing|errors?)\b/i,
  ],
  featureTitle: [
    "Added a retry to the upload",
    /^(?:add|implement|create|introduce|support|enable|build|allow|new|upload|show|display|provide|integrate|write|set up)(?:ed|s|d)?\b/i,
  ],
  refactorTitle: [
    "Extracted the retry into its own module",
    /^(?:refactor|rename|extract|move|simplif|clean|restructur|reorgani[sz]|dedup|consolidat|split|flatten|merge action|unif|reduce|improve project|replac|switch|convert|migrat|rewrit|rewrote|inline|tidy)\w*\b/i,
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
