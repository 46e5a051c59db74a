// Finds decisions that the user made in the agent's dialogs: answered questions and approved plans.
import type { Observation } from "../../core/memory.ts";
import { clip, stripMarkdown, readBlocks, sentencesOf } from "../../core/prose.ts";
import type { EvidenceToolUse, TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { newObservation } from "./observation.ts";
import { MAX_TITLE_CHARS } from "./title.ts";

const FACT_CHARS = 240;
const QUESTION_TOOLS = /^(?:AskUserQuestion|ask_user|ask_followup_question|question|request_user_input)$/;

export function userChoices({ toolUses }: TurnEvidence): Observation[] {
  const answered = toolUses.filter(({ name, isError }) => QUESTION_TOOLS.test(name) && !isError).flatMap(answersOf);
  return [...answersObservation(answered), ...toolUses.flatMap(approvedPlan)];
}

function answersOf({ input, output, id }: EvidenceToolUse) {
  // Claude Code: User has answered your questions: "Which store?"="SQLite", ...
  const pairs = [...output.matchAll(/"([^"\n]{3,400})"="([^"\n]{1,600})"/g)];
  if (pairs.length > 0) {
    return pairs.map(([, question = "", answer = ""]) => ({
      question: stripMarkdown(question),
      answer: stripMarkdown(answer),
      id,
    }));
  }
  const question = input["question"];
  const answer = /^(?:User (?:responded|selected|answered)|Answer)[^:]*:\s*([\s\S]+)$/.exec(output.trim())?.[1];
  return typeof question === "string" && answer !== undefined
    ? [{ question: stripMarkdown(question.slice(0, 600)), answer: stripMarkdown(answer.slice(0, 1_000)), id }]
    : [];
}

function answersObservation(answered: ReturnType<typeof answersOf>): Observation[] {
  const [first] = answered;
  if (first === undefined) return [];
  const facts = answered.map(({ question, answer }) => clip(`${question} → ${answer}`, FACT_CHARS));
  return [
    newObservation({
      type: "decision",
      title: clip(`${first.question.replace(/\?$/, "")}: ${first.answer}`, MAX_TITLE_CHARS),
      narrative: `Asked “${clip(first.question, 200)}”, the user chose: ${clip(first.answer, 300)}`,
      facts: answered.length === 1 ? [] : facts,
      concepts: ["trade-off"],
      evidence: [...new Set(answered.map(({ id }) => id))],
      origin: "user",
      subject: `question:${clip(first.question.toLowerCase(), 160)}`,
    }),
  ];
}

function approvedPlan({ name, isError, input: { plan }, id }: EvidenceToolUse): Observation[] {
  if (name !== "ExitPlanMode" || isError || typeof plan !== "string") return [];
  const blocks = readBlocks(plan);
  const headings = blocks.filter(({ kind }) => kind === "heading").map(({ text }) => text);
  const title = headings[0]?.replace(/^(?:implementation )?plan\s*[:—–-]\s*/i, "");
  const context = blocks.find(({ kind }) => kind === "text");
  if (title === undefined || context === undefined) return [];
  const isAside = /^(?:context|background|verification|testing|summary|overview)\b/i;
  const steps = [...new Set(headings)].slice(1).filter((step) => !isAside.test(step));
  return [
    newObservation({
      type: "decision",
      title: clip(`Plan: ${title.replaceAll("`", "")}`, MAX_TITLE_CHARS),
      narrative: clip(sentencesOf(context.text).slice(0, 3).join(" "), 420),
      facts: steps.slice(0, 6),
      concepts: ["why-it-exists"],
      evidence: [id],
      origin: "assistant",
    }),
  ];
}
