// Extracts the words that a session is about, stemmed so that sessions can be compared.
import { STOP_WORDS, wordsOf } from "../../core/words.ts";
import { readUserRequest } from "../extract/user-request.ts";

const MAX_TERMS = 16;
/** "evaluate" and "evaluation" -> "evaluat" */
const STEM_CHARS = 7;
const MIN_CHARS = 3;
/** Later prompts say less about the session's topic. */
const MAX_PROMPTS = 6;

/** Words common to all tasks. */
const WORK_WORDS = new Set(
  (
    "add address apply bug change changes check code come commit commits create display done error errors fail failed failing file files find fix " +
    "fixed get give have here implement improve investigate issue issues keep like look make merge need new now one page phase plan push " +
    "read remove review run running see seems set show some still support task test tests there these thing things update want work working"
  ).split(" "),
);

/** Terms of the first prompt with a request, else of the first prompt. `terms`: "authent" -> "authentication". */
export function sessionTerms<Prompt extends { text: string }>(
  prompts: readonly Prompt[],
): { terms: Map<string, string>; prompt: Prompt | undefined } {
  const requests = prompts.slice(0, MAX_PROMPTS).map((prompt) => ({ prompt, ...readUserRequest(prompt.text) }));
  const first = requests.find(({ kind, title }) => kind !== "reply" && title.split(" ").length > 2) ?? requests[0];
  const words = wordsOf((first?.title ?? "").replace(/\bhttps?:\/\/\S+/g, " "))
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= MIN_CHARS && !/^\d+$/.test(word))
    .filter((word) => !STOP_WORDS.has(word) && !WORK_WORDS.has(word));
  const terms = new Map<string, string>();
  for (const word of words) if (!terms.has(stem(word)) && terms.size < MAX_TERMS) terms.set(stem(word), word);
  return { terms, prompt: first?.prompt };
}

function stem(word: string): string {
  // Keep words with digits whole: "phase12" and "phase1" differ.
  if (/\d/.test(word)) return word;
  const singular = word.length > MIN_CHARS && !word.endsWith("ss") ? word.replace(/s$/, "") : word;
  return singular.slice(0, STEM_CHARS);
}
