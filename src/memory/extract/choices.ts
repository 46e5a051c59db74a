// Questions the agent put to the user, and plans it put before them: what they chose is a decision in their own words.
import type { Observation } from "../../core/memory.ts";
import type { EvidenceToolUse, TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { TITLE_CHARS } from "./ask.ts";
import { clip, plain, readBlocks, sentencesOf } from "../../core/prose.ts";

const FACT_CHARS = 240;
const QUESTION_TOOLS = /^(?:AskUserQuestion|ask_user|ask_followup_question|question|request_user_input)$/;

export function choiceObservations(evidence: TurnEvidence): Observation[] {
  const answered = evidence.toolUses
    .filter(({ name, isError }) => QUESTION_TOOLS.test(name) && !isError)
    .flatMap(answersOf);
  return [...grouped(answered), ...evidence.toolUses.flatMap(planOf)];
}

interface Answered {
  question: string;
  answer: string;
  id: string;
}

function answersOf(use: EvidenceToolUse): Answered[] {
  // Claude Code: User has answered your questions: "Which store?"="SQLite", ...
  const pairs = [...use.output.matchAll(/"([^"\n]{3,400})"="([^"\n]{1,600})"/g)];
  if (pairs.length > 0) {
    return pairs.map(([, question = "", answer = ""]) => ({
      question: plain(question),
      answer: plain(answer),
      id: use.id,
    }));
  }
  const question = use.input["question"];
  const answer = /^(?:User (?:responded|selected|answered)|Answer)[^:]*:\s*([\s\S]+)$/.exec(use.output.trim())?.[1];
  return typeof question === "string" && answer !== undefined
    ? [{ question: plain(question.slice(0, 600)), answer: plain(answer.slice(0, 1_000)), id: use.id }]
    : [];
}

function grouped(answered: readonly Answered[]): Observation[] {
  const [first] = answered;
  if (first === undefined) return [];
  const facts = answered.map(({ question, answer }) => clip(`${question} → ${answer}`, FACT_CHARS));
  return [
    {
      type: "decision",
      title: clip(`${first.question.replace(/\?$/, "")}: ${first.answer}`, TITLE_CHARS),
      narrative: `Asked “${clip(first.question, 200)}”, the user chose: ${clip(first.answer, 300)}`,
      facts: answered.length === 1 ? [] : facts,
      concepts: ["trade-off"],
      files: [],
      evidence: [...new Set(answered.map(({ id }) => id))],
      origin: "user",
      subject: `question:${clip(first.question.toLowerCase(), 160)}`,
    },
  ];
}

/** A plan the user let pass. */
function planOf(use: EvidenceToolUse): Observation[] {
  const plan = use.input["plan"];
  if (use.name !== "ExitPlanMode" || use.isError || typeof plan !== "string") return [];
  const blocks = readBlocks(plan);
  const title = blocks
    .find(({ kind }) => kind === "heading")
    ?.text.replace(/^(?:implementation )?plan\s*[:—–-]\s*/i, "");
  const context = blocks.find(({ kind }) => kind === "text");
  if (title === undefined || context === undefined) return [];
  const steps = [...new Set(blocks.filter(({ kind }) => kind === "heading").map(({ text }) => text))].slice(1);
  return [
    {
      type: "decision",
      title: clip(`Plan: ${title.replaceAll("`", "")}`, TITLE_CHARS),
      narrative: clip(sentencesOf(context.text).slice(0, 3).join(" "), 420),
      facts: steps
        .filter((step) => !/^(?:context|background|verification|testing|summary|overview)\b/i.test(step))
        .slice(0, 6),
      concepts: ["why-it-exists"],
      files: [],
      evidence: [use.id],
      origin: "assistant",
    },
  ];
}
