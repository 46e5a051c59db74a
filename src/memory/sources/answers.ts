// Reads the user's answers to the agent's questions, one record per question.
import { asObject, asObjects, asString, type Json, type JsonObject, parseJson } from "../../core/json.ts";
import { stripMarkdown } from "../../core/prose.ts";
import type { EvidenceToolUse, TurnEvidence } from "../../store/reads/turn-evidence.ts";

export interface Option {
  label: string;
  /** "" if the agent gave none. */
  description: string;
}

export interface Answer {
  /** Item id of the tool use. */
  id: string;
  question: string;
  /** The agent's short name of the topic, or "". */
  header: string;
  options: Option[];
  /** The chosen options, or the user's text if no option was chosen. */
  choice: string;
  /** "option": one or more of the options; "text": the user's own words; "delegated": the agent may decide. */
  kind: "option" | "text" | "delegated";
  /** What the user wrote beside the choice, or "". */
  notes: string;
  /** Whether it settles something about the work, and not only what the agent does next: "More questions?" */
  isDecision: boolean;
}

const QUESTION_TOOLS =
  /^(?:AskUserQuestion|ask_user|ask_followup_question|ask_question|question|request_user_input|AskQuestion)$/;

export function userAnswers({ toolUses }: Pick<TurnEvidence, "toolUses">): Answer[] {
  return toolUses.filter(({ name, isError }) => QUESTION_TOOLS.test(name) && !isError).flatMap(answersOf);
}

function answersOf(use: EvidenceToolUse): Answer[] {
  const questions = questionsOf(use.input);
  const replies = repliesOf(use.output, questions);
  return questions.flatMap((question, index) => {
    const reply = replies.get(question.id) ?? replies.get(question.text) ?? replies.get(String(index));
    const answer = reply === undefined ? undefined : readAnswer(question, reply);
    return answer === undefined ? [] : [{ ...answer, id: use.id }];
  });
}

interface Question {
  id: string;
  text: string;
  header: string;
  options: Option[];
}

/** A list of questions (Claude Code, Codex, Gemini CLI, OpenCode), or one with `choices` (Copilot CLI). */
function questionsOf(input: Readonly<Record<string, unknown>>): Question[] {
  const list = asObjects(input["questions"]);
  return (list.length > 0 ? list : [input as JsonObject]).flatMap((one) => {
    const text = asString(one["question"]) ?? asString(one["prompt"]) ?? "";
    const options = [one["options"], one["choices"], one["follow_up"]].find(Array.isArray) ?? [];
    const header = asString(one["header"]) ?? "";
    return text === "" ? [] : [{ id: asString(one["id"]) ?? text, text, header, options: options.map(optionOf) }];
  });
}

function optionOf(option: Json): Option {
  const fields = asObject(option);
  const label = asString(option) ?? asString(fields?.["label"]) ?? asString(fields?.["value"]) ?? "";
  return { label: stripMarkdown(label), description: stripMarkdown(asString(fields?.["description"]) ?? "") };
}

interface Reply {
  choice: string;
  notes: string;
}

/** The replies, by question, by the question's id or by its index. */
function repliesOf(output: string, questions: readonly Question[]): Map<string, Reply> {
  const structured = asObject(parseJson(/^\s*\{/.test(output) ? output : undefined));
  if (structured !== undefined) return structuredReplies(structured);
  const quoted = quotedReplies(output, questions);
  if (quoted.size > 0 || questions.length !== 1) return quoted;
  const said =
    /^\s*(?:User (?:responded|selected|answered)|(?:User )?(?:answer|response)|<answer>)[^:>\n]{0,40}[:>]?\s*([\s\S]+?)(?:<\/answer>)?\s*$/i.exec(
      output,
    )?.[1];
  return said === undefined ? quoted : new Map([["0", { choice: said, notes: "" }]]);
}

/** `{"answers": {"Which store?": "SQLite"}, "annotations": {"Which store?": {"notes": "…"}}}`; Codex: `{"answers": ["…"]}`. */
function structuredReplies({ answers, annotations }: JsonObject): Map<string, Reply> {
  const notes = asObject(annotations);
  return new Map(
    Object.entries(asObject(answers) ?? {}).map(([question, answer]) => {
      const written = asString(asObject(notes?.[question])?.["notes"]) ?? "";
      return [question, { choice: choiceText(answer), notes: written }];
    }),
  );
}

function choiceText(answer: Json | undefined): string {
  if (Array.isArray(answer)) return answer.map((one) => asString(one) ?? "").join(", ");
  return asString(answer) ?? choiceText(asObject(answer)?.["answers"] ?? "");
}

/** `User has answered your questions: "Which store?"="SQLite" user notes: keep it small. You can now …` */
function quotedReplies(output: string, questions: readonly Question[]): Map<string, Reply> {
  const found = questions.flatMap(({ text }) => {
    const start = `"${text}"="`;
    const index = output.indexOf(start);
    return index < 0 ? [] : [{ text, index, end: index + start.length }];
  });
  return new Map(
    found.map(({ text, end }) => {
      const next = Math.min(...found.map(({ index }) => index).filter((index) => index > end), output.length);
      const rest = output.slice(end, next).replace(/\. You can now [^\n]*$|, $/, "");
      const [answer = "", notes = ""] = rest.split('" user notes: ');
      const [choice = ""] = answer.split('" selected preview:');
      return [text, { choice: choice.replace(/"$/, ""), notes }];
    }),
  );
}

const DELEGATED =
  /^(?:you (?:decide|choose|pick)|(?:it'?s )?up to you|your (?:call|choice)|(?:no|either|whatever) preference|whatever you (?:think|prefer))\b/i;
/** The agent's mark on its favourite. */
const RECOMMENDED = /\s*\((?:recommended|default)\)\s*$/i;

/** Questions about how to go on now. Their answers matter for the turn only. */
const STEERING =
  /\b(?:(?:what|how) (?:would you like|do you want|should (?:i|we)) (?:me )?(?:to )?(?:do|proceed|continue|handle this|go on)|(?:more|other|further|any|additional) questions|move (?:on|to)|(?:areas?|topics?) .{0,40}\b(?:discuss|explore|cover)|(?:would you like|do you want|shall|should) (?:me|i|we)(?: to)? (?:wait|run|continue|proceed|commit|push|start|stop|generate|create|open|update|show|move|go|review|check)|ready to|continue|proceed|next steps?|what next)\b/i;
/** The user asks back, doubts, or talks about something else. */
const UNSETTLED =
  /\?|^(?:h+m+\b|not sure|no idea|i (?:don['’]?t know|am not sure)|maybe|depends|what|why|how|ok(?:ay)?[,.]|you['’]?re\b)|\b(?:would depend|not sure|to be decided|honestly)\b/i;
const MAX_TEXT_CHARS = 300;

function isDecision(question: string, choice: string, kind: Answer["kind"]): boolean {
  if (kind === "delegated" || STEERING.test(question)) return false;
  return kind === "option" || (choice.length <= MAX_TEXT_CHARS && !UNSETTLED.test(choice));
}

function readAnswer({ text, header, options }: Question, reply: Reply): Omit<Answer, "id"> | undefined {
  const choice = stripMarkdown(reply.choice);
  if (choice === "" || /^(?:\(no answer|no answer provided|\(no response)/i.test(choice)) return undefined;
  const notes = stripMarkdown(reply.notes);
  const isOption = chosenOptions(choice, options).length > 0;
  const kind = DELEGATED.test(choice) ? "delegated" : isOption ? "option" : "text";
  return {
    question: stripMarkdown(text),
    header: stripMarkdown(header),
    options: options.map(({ label, description }) => ({ label: label.replace(RECOMMENDED, ""), description })),
    choice: choice.replace(RECOMMENDED, ""),
    kind,
    notes: notes === choice ? "" : notes,
    isDecision: isDecision(text, choice, kind),
  };
}

/** The options that make up the choice: "Email, Public key" is two. None if something else was written. */
function chosenOptions(choice: string, options: readonly Option[]): Option[] {
  let rest = choice;
  const chosen = options
    .toSorted((a, b) => b.label.length - a.label.length)
    .filter(({ label }) => {
      if (label === "" || !rest.includes(label)) return false;
      rest = rest.replace(label, "");
      return true;
    });
  return /[\p{L}\p{N}]/u.test(rest) ? [] : chosen;
}
