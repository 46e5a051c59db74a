// Classifies a prompt as plan, question, task or reply, and shortens it to a title and a summary.
import { type Block, clip, readBlocks, sentencesOf, wholeSentences } from "../../core/prose.ts";
import { matches, strip } from "./sentence-patterns.ts";
import { capitalise } from "./sentences.ts";

export interface UserRequest {
  kind: "plan" | "question" | "task" | "reply";
  /** A few words, without politeness: "please could you add a test?" -> "Add a test?" */
  title: string;
  /** The prompt, condensed to a few sentences. */
  summary: string;
  /** Why a plan is needed, from its section "Context" or "Motivation"; else "". */
  why: string;
  blocks: Block[];
}

export const TITLE_CHARS = 90;
const SUMMARY_CHARS = 320;

export function readUserRequest(prompt: string): UserRequest {
  const text = withoutCommand(prompt);
  const blocks = readBlocks(text);
  const plan = planTitle(text, blocks);
  if (plan !== undefined) {
    const why = planReason(blocks);
    const summary = why === "" ? plan : wholeSentences([`${plan}.`, ...sentencesOf(why)], SUMMARY_CHARS);
    return { kind: "plan", title: clip(plan, TITLE_CHARS), summary, why, blocks };
  }
  const written = blocks.filter(({ kind }) => kind !== "heading").flatMap((block) => sentencesOf(block.text));
  const sentences = written.length > 0 ? written : [text.replace(/\s+/g, " ").trim()];
  const summary = wholeSentences(sentences, SUMMARY_CHARS);
  return { kind: kindOf(text, sentences), title: titleOf(sentences), summary, why: "", blocks };
}

/** "/review the upload code" -> "the upload code". Also removes the mark "[[ ## question ## ]]" of DSPy programs. */
function withoutCommand(prompt: string): string {
  const text = prompt.trim().replace(/^\[\[ ## \w+ ## \]\]\s*/, "");
  const rest = /^[/$][\w:-]+\s+([\s\S]+)$/.exec(text)?.[1]?.trim() ?? "";
  return rest.split(/\s+/).length >= 3 ? rest : text;
}

function planTitle(text: string, blocks: readonly Block[]): string | undefined {
  const isPlan = matches(text, "planPreamble") || (/^#\s/.test(text) && blocks.length > 3);
  const heading = isPlan ? blocks.find(({ kind }) => kind === "heading") : undefined;
  return heading?.text
    .replace(/^(?:implementation )?(?:plan|task|feature|todo|spec|design|prd)\s*[:—–-]\s*/i, "")
    .replace(/\s+plan$/i, "");
}

/** The first two sentences of the section; only one if the second introduces a list. */
function planReason(blocks: readonly Block[]): string {
  const isReason = /^(?:context|background|problem|motivation|why|overview|goal|summary)\b/i;
  const first = blocks.find(({ kind, section }) => kind === "text" && isReason.test(section));
  if (first === undefined) return "";
  const [one = "", two] = sentencesOf(first.text);
  const sentences = two === undefined || two.endsWith(":") ? [one] : [one, two];
  return wholeSentences(sentences, SUMMARY_CHARS).replace(/[:;,]$/, ".");
}

/** A prompt of only these words is a reply: "yes, commit and push". */
const REPLY_WORDS = new Set(
  (
    "ok okay yes yeah yep y no nope sure please now then and just also go let lets let's it this that them all the change changes everything ahead " +
    "commit committed comit commi push pull merge continue proceed resume retry again done thanks thank you great perfect nice good cool do try run check status " +
    "next stop undo revert approve approved lgtm pr main back to up latest get with a an on in for open create make your my i we b c d e"
  ).split(" "),
);
const MAX_REPLY_CHARS = 200;

function isReply(text: string): boolean {
  const words = text
    .toLowerCase()
    .split(/[^\p{L}\p{N}']+/u)
    .filter(Boolean);
  return words.length < 3 || words.every((word) => REPLY_WORDS.has(word) || /^\d+$/.test(word));
}

function kindOf(text: string, sentences: readonly string[]): UserRequest["kind"] {
  const whole = text.trim();
  if (whole.length < MAX_REPLY_CHARS && isReply(whole)) return "reply";
  const [first = "", last = ""] = [sentences[0], sentences.at(-1)];
  if (matches(first, "question")) return "question";
  const isAsking = last.endsWith("?") || (first.endsWith("?") && sentences.length < 4);
  return isAsking && !matches(whole, "taskAsQuestion") ? "question" : "task";
}

function titleOf(sentences: readonly string[]): string {
  const polished = sentences.map(withoutPoliteness);
  const title = polished.find((sentence) => sentence.split(/\s+/).length >= 4) ?? polished[0] ?? "";
  return clip(title.replace(/[.:]$/, ""), TITLE_CHARS);
}

function withoutPoliteness(sentence: string): string {
  let text = sentence;
  for (let before = ""; before !== text;) {
    before = text;
    text = strip(strip(text, "opening"), "politeness");
  }
  return capitalise(text.replace(/,? please\b/gi, "").trim());
}
