// Recognises prompts that ask about earlier work: "what was the staging host called again?".

/** Pasted plans and logs below the user's own words are not searched. */
const HEAD_CHARS = 600;

const WHO = "(?:we|you|i)";
const DID =
  "(?:decide|agree|settle|choose|pick|do|did|use|call|name|say|find|figure|fix|solve|set|configure|change|remove|rename|add|handle|discuss|conclude|plan|end up)";

/** A question or remark that is about earlier work whatever else it says. */
const PAST: readonly RegExp[] = [
  // "tell me again", "remind me", "refresh my memory"
  /\b(?:tell|explain|show) (?:me|us)\b[^.?!\n]{0,40}\bagain\b|\bremind (?:me|us)\b|\brefresh my memory\b/i,
  // "what was it called again?", "how do I start it again?"
  /\b(?:what|which|who|where|when|how|why)(?:'s)?\b[^.?!\n]{0,120}\bagain\s*(?:\?|$)/im,
  /\bwhat (?:was|were|is|are|did)\b[^.?!\n]{0,80}\b(?:called|named)\b/i,
  // "do you remember", "as far as I remember", "I forgot what"
  /\b(?:do|did|can|don'?t|didn'?t) (?:you|we|u) (?:remember|recall)\b|\bremember (?:when|how|the|that|what|which|why)\b/i,
  /\b(?:i|we) (?:forgot|forget|don'?t remember|can'?t remember|don'?t recall|lost track)\b/i,
  // "why did we", "what did we decide", "where did we leave off"
  new RegExp(`\\b(?:what|which|where|when|why|how|who) (?:did|had|have|were|was) ${WHO}\\b`, "i"),
  /\bwhat (?:did|does|was)\b[^.?!\n]{0,60}\b(?:get )?(?:replaced|changed|renamed|moved|removed|decided|agreed)\b/i,
  /\bwhere (?:did|do|are|were) (?:we|you|i)\b[^.?!\n]{0,20}\b(?:leave|left|stop|stopped|at)\b/i,
  // "didn't we already", "haven't we", "did we ever", "did we not"
  new RegExp(
    `\\b(?:did|have|had)(?:n'?t| ${WHO} not)? ?${WHO}?\\b[^.?!\\n]{0,20}\\b(?:already|ever|before|previously)\\b`,
    "i",
  ),
  new RegExp(`\\b(?:didn'?t|haven'?t|hadn'?t|weren'?t) ${WHO}\\b`, "i"),
  new RegExp(`\\b(?:did|have|had) ${WHO} not\\b`, "i"),
  // "was there any work done", "has this already been fixed", "is that already logged"
  /\b(?:was|were) there (?:any|ever|already)\b|\bha(?:ve|s|d) there (?:been|ever)\b|\bthere (?:is|was|are|were) already\b|\b(?:is|was|are|were) there\b[^.?!\n]{0,40}\b(?:done|logged|written|documented|recorded)\b/i,
  /\b(?:is|are|was|were|has|have)\b[^.?!\n]{0,80}\balready (?:been )?\w+(?:ed|ne|en|lt|nt)\b/i,
  // "last time", "as before", "like we did", "previously", "in the last session"
  /\blast time\b|\bfrom before\b|\b(?:as|like|same as) (?:before|previously|last time|earlier)\b|\b(?:as|like|the way|the same way) (?:we|you) (?:did|had|do|discussed|agreed|decided)\b/i,
  /\bprevious(?:ly)?\b|\bin the past\b|\ba while (?:ago|back)\b|\bback when\b|\bthe other day\b|\byesterday\b|\blast (?:week|month|session|night)\b|\b(?:earlier|other|prior|old) session\b/i,
  // "we decided", "you said", "that we discussed", "we recently made"
  new RegExp(
    `\\b(?:we|you) (?:recently|already|originally|initially|just|once|had)? ?(?:decided|agreed|settled|discussed|talked about|chose|said|mentioned|suggested|recommended|concluded|found out|figured out|came up with|ended up|planned to|used to|looked (?:at|into)|researched)\\b`,
    "i",
  ),
  new RegExp(`\\bwe (?:recently|already|originally|initially) \\w+`, "i"),
  // "I thought we removed trace.json"
  /\bi (?:thought|believe|think|assumed) (?:that )?(?:we|you)(?:'d|'ve| had| have| recently| already| no longer)?\b[^.?!\n]{0,20}\b(?:\w+ed|had|did|made|chose|no longer|were|got)\b/i,
  new RegExp(`\\bhave ${WHO} (?:ever )?${DID}`, "i"),
  /\b(?:same|that) (?:error|problem|issue|bug|failure) (?:again|as (?:before|last))\b|\bagain the same\b/i,
  /\bwhat happened (?:to|with)\b|\bwhy (?:do|are) we (?:have|use|using|doing|keep)\b|\bwhat(?:'s| is) the (?:reason|rationale) (?:we|for|behind)\b/i,
];

/** Not about the past: "do it as before", but only as an order to go on. */
const GO_ON = /^\W*(?:(?:please|ok|okay|now|and) )*(?:try|do|run|check|test|start|build|push)\b[^?]{0,30}\bagain\W*$/i;

export function asksAboutPast(prompt: string): boolean {
  const head = prompt.slice(0, HEAD_CHARS);
  return !GO_ON.test(head) && PAST.some((pattern) => pattern.test(head));
}

/** "What did we do last time?": about the last session as a whole, not about a subject. */
const LAST_SESSION =
  /\bwhat (?:did|were|have|had) (?:we|you|i)(?: been)? (?:do|doing|done|work|working)\b|\bwhere (?:did|were|are) (?:we|you|i)\b|\bpick up where\b|\bleft off\b|\b(?:in )?(?:the )?(?:last|previous|prior) session\b|\bwhat happened (?:last time|yesterday)\b/i;

export function asksAboutLastSession(prompt: string): boolean {
  return LAST_SESSION.test(prompt.slice(0, HEAD_CHARS));
}
