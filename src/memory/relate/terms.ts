// The few words that say what a session is about, in a form in which others can be compared with them.
import { STOP_WORDS, wordsOf } from "../../core/words.ts";
import { readUserRequest } from "../extract/user-request.ts";

const MAX_TERMS = 16;
/** Enough of a word to tell it from others, little enough to have "evaluate" and "evaluation" as one. */
const STEM_CHARS = 7;
const MIN_CHARS = 3;
/** The first prompts say what it is about; later ones what is to be done about it. */
const MAX_PROMPTS = 6;

/** What work on anything is called: says nothing of what it is. */
const WORK_WORDS = new Set(
  (
    "add address apply bug change changes check code come commit commits create display done error errors fail failed failing file files find fix " +
    "fixed get give have here implement improve investigate issue issues keep like look make merge need new now one page phase plan push " +
    "read remove review run running see seems set show some still support task test tests there these thing things update want work working"
  ).split(" "),
);

/** The first prompt that says what is to be done gives the words. */
export function termsOf<Prompt extends { text: string }>(
  prompts: readonly Prompt[],
): { terms: string[]; prompt: Prompt | undefined } {
  const { title, prompt } = tellingPrompt(prompts);
  return { terms: [...wordsByTerm(title).keys()], prompt };
}

/** Each term with the word it was made from: "authent" -> "authentication". */
export function termWords(prompts: readonly { text: string }[]): Map<string, string> {
  return wordsByTerm(tellingPrompt(prompts).title);
}

function tellingPrompt<Prompt extends { text: string }>(
  prompts: readonly Prompt[],
): { title: string; prompt: Prompt | undefined } {
  const asks = prompts.slice(0, MAX_PROMPTS).map((prompt) => ({ prompt, ask: readUserRequest(prompt.text) }));
  const telling = asks.find(({ ask }) => ask.kind !== "reply" && ask.title.split(" ").length > 2) ?? asks[0];
  return { title: telling?.ask.title ?? "", prompt: telling?.prompt };
}

function wordsByTerm(text: string): Map<string, string> {
  const title = text.replace(/\bhttps?:\/\/\S+/g, " ");
  const words = wordsOf(title)
    .map((word) => word.toLowerCase())
    .filter((word) => word.length >= MIN_CHARS && !/^\d+$/.test(word))
    .filter((word) => !STOP_WORDS.has(word) && !WORK_WORDS.has(word));
  const found = new Map<string, string>();
  for (const word of words) if (!found.has(stem(word)) && found.size < MAX_TERMS) found.set(stem(word), word);
  return found;
}

function stem(word: string): string {
  // A name with a number is told from others by it.
  if (/\d/.test(word)) return word;
  const singular = word.length > MIN_CHARS && !word.endsWith("ss") ? word.replace(/s$/, "") : word;
  return singular.slice(0, STEM_CHARS);
}
