// Extracts the words, code names and paths of a prompt, to search memory for them.
import { prepareQuery } from "../../core/query.ts";
import { wordsOf } from "../../core/words.ts";

export type PromptQuery = NonNullable<ReturnType<typeof parsePrompt>>;

/** The prompt refers to earlier work: "as we did last time". */
const PAST =
  /\b(?:(?:do|did|can|don't) you (?:remember|recall)|remember (?:when|how|the|that|what)|last time|as before|like before|as we did|the way we did|like we did|earlier session|previous(?:ly)? (?:session|time|fix)|what did we|where did we|when did we|why did we|how did we|have we (?:ever|already)|we already|yesterday|last week|the other day|again the same|same (?:error|problem|issue|bug) (?:again|as))\b/i;

/** A prompt of two words is a reply. */
const MIN_WORDS = 3;
const HEAD_CHARS = 4_000;

/** Undefined for commands ("/help"), replies ("ok") and other prompts without a subject. */
export function parsePrompt(text: string) {
  // Words in URLs rarely name the subject.
  const head = text.slice(0, HEAD_CHARS).replace(/\bhttps?:\/\/\S+/gi, " ");
  if (/^\s*[/!#]/.test(head) && !/^\s*#\s/.test(head)) return undefined;
  const { words: all, paths } = prepareQuery(head);
  /** Informative words in the order they occur. */
  const words = all.filter((word) => word.length > 2 && !COMMON.has(word) && !/^\d+$/.test(word));
  const codeNames = wordsOf(head).filter((word) => word.length > 4 && /[a-z][A-Z]|[A-Za-z]\d|_/.test(word));
  /** Words that look like names in code: `parseLine`, `max_age`, `utf8`. */
  const names = new Set(codeNames.map((word) => word.toLowerCase()));
  const isAboutPast = PAST.test(head);
  if (words.length < MIN_WORDS && paths.length === 0 && names.size === 0 && !isAboutPast) return undefined;
  return { words, names, paths, isAboutPast };
}

/** Words that many prompts to coding agents contain, whatever their subject. */
const COMMON = new Set(
  (
    "add added adding also always app application apply approach available based basic behavior best better between big both bug build builds button call called case cases change " +
    "changed changes check clean clear click code command commands commit complete component components config configuration content context correct create created creating current currently " +
    "data default define delete description design details different display displayed doc docs document documentation does done each edit ensure entry error errors every example existing " +
    "expected explain fail failed failing fails feature field file files find first fix fixed fixes following folder format found function functions further general get give given goal good " +
    "handle having help here home implement implementation implemented improve include included info information input inside issue issues item items keep kind know large last later left " +
    "level like line lines link list load local log logic long look looks main make makes making manage many mode modify more move much must name need needed needs never new next note now number " +
    "object off old once one onto open option options order output own page part pass path phase place plan point possible present previous print problem process production project proper " +
    "properly provide pull push question read ready really reason refactor related release remove removed rename replace repo repository request required requirement requirements result " +
    "results return returns review right root rule rules run running runs same save script second section see select send separate server service set setting settings setup several show showing shown " +
    "shows side simple simply since single size small something source specific src start started state status step steps still stop string structure style support sure system table take task " +
    "tell test tested testing tests text thing things think three through time title together tool tools top try turn two type types under understand until update updated updates user users using " +
    "value values verify version view want way well while whole within without work working works write written wrong yes"
  ).split(" "),
);
