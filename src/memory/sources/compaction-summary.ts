// Reads the summary that an agent writes when it compacts its context, section by section.
//   Claude Code  "1. Primary Request and Intent:", after "Summary:" or in <summary>
//   Gemini CLI   <overall_goal>, Copilot CLI <next_steps>, OpenCode and Codex "## Goal"
import { readBlocks } from "../../core/prose.ts";
import { listItems } from "./list-items.ts";

export interface CompactionSummary {
  /** What the user asked for, as paragraphs and list items. */
  request: string[];
  concepts: string[];
  /** "src/store.ts: keeps the done flag", one entry per file. */
  files: string[];
  /** "EACCES on start: created the folder first", one entry per error. */
  fixes: string[];
  userMessages: string[];
  done: string[];
  pending: string[];
  currentWork: string[];
  nextStep: string[];
}

type Field = keyof CompactionSummary;

/** Section titles by field. The first match decides. */
const SECTIONS: readonly (readonly [Field, RegExp])[] = [
  ["request", /^(?:primary request|user.?s? request|(?:overall |user )?(?:goal|objective)|overview|task overview)\b/i],
  [
    "concepts",
    /^(?:key (?:technical )?concepts|technical (?:details|concepts)|key (?:knowledge|learnings?|decisions)|discoveries|learnings|important context|context discovered)\b/i,
  ],
  ["files", /^(?:files? (?:and|&) code|(?:important |relevant |key )?files\b|file system state)/i],
  ["fixes", /^(?:errors? (?:and|&) fix(?:es)?|errors? encountered|problems? (?:and|&) (?:fixes|solutions))\b/i],
  ["userMessages", /^all user messages\b/i],
  [
    "done",
    /^(?:problem.solving|work (?:done|completed)|accomplished|completed|progress|recent actions|current state)\b/i,
  ],
  ["pending", /^(?:pending tasks?|remaining (?:work|tasks?)|outstanding|todos?|current plan|what remains)\b/i],
  ["currentWork", /^(?:current work|in progress|work in progress)\b/i],
  ["nextStep", /^(?:optional )?next steps?\b/i],
];
/** Known sections without a field: they end the section before. */
const OTHER_SECTION =
  /^(?:analysis|instructions|history|checkpoint title|context|constraints|critical (?:data|references)|user preferences)\b/i;

const MAX_CHARS = 60_000;
const TITLE_CHARS = 60;

/** Undefined if the text has no section that this file knows. */
export function readCompactionSummary(text: string): CompactionSummary | undefined {
  const summary: CompactionSummary = {
    request: [],
    concepts: [],
    files: [],
    fixes: [],
    userMessages: [],
    done: [],
    pending: [],
    currentWork: [],
    nextStep: [],
  };
  let isKnown = false;
  for (const { field, lines } of sectionsOf(summaryPart(text.slice(0, MAX_CHARS)))) {
    if (field === undefined) continue;
    isKnown = true;
    summary[field].push(...entriesOf(lines.join("\n"), PROSE.has(field)));
  }
  return isKnown ? summary : undefined;
}

/** Without the analysis before the summary, and without Claude Code's instructions after it. */
function summaryPart(text: string): string {
  const withoutAnalysis = text.replace(/<analysis>[\s\S]*?<\/analysis>/i, "");
  const inTag = /<(summary|state_snapshot)>([\s\S]*?)(?:<\/\1>|$)/i.exec(withoutAnalysis)?.[2];
  const part = inTag ?? /^Summary:[ \t]*\n([\s\S]*)$/im.exec(withoutAnalysis)?.[1] ?? withoutAnalysis;
  return part.replace(
    /\n[ \t]*(?:If you need specific details from before|(?:Please c|C)ontinue the conversation from)[\s\S]*$/,
    "",
  );
}

interface Section {
  field: Field | undefined;
  lines: string[];
}

function sectionsOf(text: string): Section[] {
  const sections: Section[] = [];
  let isCode = false;
  for (const line of text.split("\n")) {
    if (/^\s*(?:```|~~~)/.test(line)) isCode = !isCode;
    const start = isCode ? undefined : sectionStart(line);
    if (start !== undefined) sections.push(start);
    else if (!/^\s*<\/?[\w-]+>\s*$/.test(line)) sections.at(-1)?.lines.push(line);
  }
  return sections;
}

/** "4. Errors and fixes:", "## Goal", "**Pending Tasks:** push", "<next_steps>" */
function sectionStart(line: string): Section | undefined {
  const [, marked = "", rest = ""] =
    /^ {0,3}(?:#{1,4}\s+(?:\d{1,2}[.)]\s+)?|\d{1,2}[.)]\s+|(?=\*\*))(?:\*\*)?([^:*\n]{3,80}?)(?:\*\*)?(?::(?:\*\*)?(.*)|\s*)$/.exec(
      line,
    ) ??
    /^\s*<([a-z_]{4,30})>(.*?)(?:<\/\1>)?\s*$/.exec(line) ??
    [];
  const title = marked.replaceAll("_", " ").trim();
  if (title === "" || title.length > TITLE_CHARS) return undefined;
  const field = SECTIONS.find(([, pattern]) => pattern.test(title))?.[0];
  if (field === undefined && !OTHER_SECTION.test(title)) return undefined;
  return { field, lines: [rest] };
}

/** "None", "No pending tasks", "N/A" */
const NOTHING =
  /^(?:none\b|n\/a\b|nothing\b|\(none\)|no (?:(?:explicit|build|test|further|new)\w* (?:or \w+ )?)?(?:pending|explicit|outstanding|open|remaining|further|errors?|additional|tasks?)\b)/i;

/** Sections that begin with a sentence; their list continues it. In other sections, each top-level item is an entry. */
const PROSE: ReadonlySet<Field> = new Set(["request", "currentWork", "nextStep"]);

function entriesOf(text: string, isProse: boolean): string[] {
  const items = isProse ? [] : listItems(text);
  // Section bodies are indented, and readBlocks takes an indented "#" for text.
  const paragraphs = (): string[] => readBlocks(text.replace(/^[ \t]+/gm, "")).map((block) => block.text);
  return (items.length > 0 ? items : paragraphs()).filter((entry) => !NOTHING.test(entry));
}
