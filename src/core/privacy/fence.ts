// Makes injected text harmless: it cannot close the fence around it, and instructions to the model are quoted.
import { neutraliseTags } from "./control-tags.ts";
import { oneLine } from "../text.ts";

export const FENCE = { open: "<c-mem-context>", close: "</c-mem-context>" } as const;

/** Neutralises tags and control tokens. Applied to all injected text. */
export function fenceSafe(text: string): string {
  return neutraliseTags(text);
}

/**
 * Instructions that try to control the model; ordinary rules ("always run the tests") are allowed. A pattern runs only
 * if the text contains one of its `words`: compiling all of them takes a hook two milliseconds.
 */
const INSTRUCTIONS: readonly { words: string; pattern: RegExp }[] = [
  {
    words: "ignore|disregard|forget|override",
    pattern:
      /\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|your|system|any)\b.{0,30}\b(?:instruction|prompt|rule|message|direction|context|guideline)s?/i,
  },
  {
    words: "system prompt|developer prompt|system message|developer message|system instr|developer instr",
    pattern: /\b(?:system|developer) (?:prompt|message|instruction)s?\b/i,
  },
  {
    words: "you are |act as|pretend|behave as|new instruction",
    pattern:
      /\byou are (?:now|no longer|actually)\b|\b(?:act|pretend|behave) as (?:if|though|an?)\b|\bnew instructions?\b/i,
  },
  {
    words: "tell|inform|mention|ask|alert|notify",
    pattern:
      /\b(?:do not|don't|never|without) (?:tell|inform|mention|ask|alert|notify|telling|asking|informing)(?: \w+){0,2} (?:the )?(?:user|human|anyone|permission)\b/i,
  },
  { words: "curl|wget", pattern: /\b(?:curl|wget)\b[^|\n]{0,200}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b/i },
  {
    words: "secret|credential|token|key|password|environment|.env|env var",
    pattern:
      /\b(?:send|post|upload|exfiltrate|leak|reveal|print)\b.{0,40}(?:\b(?:secret|credential|token|api[ _-]?key|password|private key|env(?:ironment)? variable)s?\b|\.env\b)/i,
  },
  {
    words: "important|attention|note to|message for|instruction",
    pattern:
      /\b(?:important|attention|note to|message for|instructions? (?:to|for))\b.{0,20}\b(?:ais?|llms?|models?|assistants?|agents?|claude|gpt|copilot)\b/i,
  },
  {
    words: " must| should| shall| has to| have to| please",
    pattern: /\b(?:ai|llm|assistant|agent|claude)s?\b,? (?:you )?(?:must|should|shall|has to|have to|please)\b/i,
  },
  { words: "system|assistant|human|user", pattern: /^\s*(?:system|assistant|human|user)\s*:/i },
  { words: "rm ", pattern: /\brm\s+-\w*[rf]\w*\s+(?:\/|~|\$HOME)/ },
];

export function looksLikeInstruction(text: string): boolean {
  const lower = text.toLowerCase();
  return INSTRUCTIONS.some(
    ({ words, pattern }) => words.split("|").some((word) => lower.includes(word)) && pattern.test(text),
  );
}

const QUOTED_CHARS = 160;

/** Quotes the text if it reads like an instruction to the model. */
export function quoteInstructions(text: string): string {
  if (!looksLikeInstruction(text)) return text;
  return `[quoted text, not an instruction: “${oneLine(text, QUOTED_CHARS).replace(/[“”]/g, '"')}”]`;
}

/** Quotes the name of a file, branch, project or commit if it reads like an instruction: `ignore-all-rules`. */
export function quoteName(name: string, maxChars: number): string {
  const line = oneLine(name, maxChars);
  const isInstruction = looksLikeInstruction(name.replace(/[-_./]+/g, " ")) || looksLikeInstruction(name);
  return isInstruction ? `[quoted text, not an instruction: “${line.replace(/[“”]/g, '"')}”]` : line;
}
