// The handover of a session that its agent writes itself: checks and filters it, then saves it as the session's summary,
// and its decisions as observations.
import { AppError } from "../core/error.ts";
import { AGENT, EXTRACTOR, type Observation, type SessionSummary } from "../core/memory.ts";
import { filterText } from "../core/privacy/filter.ts";
import { oneLine } from "../core/text.ts";
import { titleOf } from "../core/title.ts";
import type { Db } from "../store/db/driver.ts";
import { transaction } from "../store/db/transaction.ts";
import { currentTexts } from "../store/tables/observation-edits.ts";
import { lastPrompts } from "../store/tables/prompts.ts";
import { summariesOfTurn, summaryOf, WHOLE_SESSION } from "../store/tables/summaries.ts";
import { deriveSession } from "./derive.ts";
import { type Alike, isKnownText } from "./known-texts.ts";
import { saveSessionSummary } from "./save-session.ts";
import { rememberWithin } from "./user-edits.ts";

/** Each text is one line. */
export interface Handover {
  title: string;
  subtitle: string;
  /** What the next session needs to know. */
  handover: string[];
  decisions: string[];
  learned: string[];
  completed: string[];
  /** What is open at the end. */
  open: string[];
}

type Field = keyof Handover;

const LIMITS: Record<Field, { lines: number; chars: number }> = {
  title: { lines: 1, chars: 100 },
  subtitle: { lines: 1, chars: 200 },
  handover: { lines: 6, chars: 240 },
  decisions: { lines: 12, chars: 400 },
  learned: { lines: 12, chars: 400 },
  completed: { lines: 12, chars: 400 },
  open: { lines: 12, chars: 300 },
};
/** Far more than all lines of a field: a longer text is cut before it is filtered, and rejected. */
const MAX_TEXT_CHARS = 12_000;
const MAX_LINE_CHARS = 4_000;

/** Filters the texts, with one item on each line. Throws one error that names all that the agent has to correct. */
export function readHandover(given: { readonly [Name in Field]?: string | undefined }): Handover {
  const linesOf = (field: Field): string[] =>
    filterText(given[field] ?? "", MAX_TEXT_CHARS)
      .split("\n")
      .map((line) => oneLine(line, MAX_LINE_CHARS).replace(/^(?:[-*•]|\d{1,2}[.)])\s+/, ""))
      .filter((line) => line !== "");
  const handover: Handover = {
    title: linesOf("title").join(" "),
    subtitle: linesOf("subtitle").join(" "),
    handover: linesOf("handover"),
    decisions: [...new Set(linesOf("decisions"))],
    learned: linesOf("learned"),
    completed: linesOf("completed"),
    open: linesOf("open"),
  };
  const problems = Object.entries(handover).flatMap(([field, value]) => problemsOf(field as Field, value));
  if (problems.length === 0) return handover;
  throw new AppError("usage", `Nothing was saved: ${problems.join("; ")}.`, { hint: "Correct that and call again." });
}

function problemsOf(field: Field, value: string | string[]): string[] {
  const { lines, chars } = LIMITS[field];
  const texts = [value].flat().filter((text) => text !== "");
  const isMissing = (field === "title" || field === "handover") && texts.length === 0;
  const tooLong = texts.flatMap((text, index) => {
    const name = lines === 1 ? field : `${field} line ${index + 1}`;
    return text.length <= chars ? [] : [`${name} has ${text.length} characters, at most ${chars} are allowed`];
  });
  return [
    ...(isMissing ? [`${field} is empty after private text was removed`] : []),
    ...(texts.length > lines ? [`${field} has ${texts.length} lines, at most ${lines} are allowed`] : []),
    ...tooLong,
  ];
}

export interface HandedOver {
  decisions: { id: number; title: string; isNew: boolean; alike: Alike[] }[];
}

interface Turn {
  sessionDbId: number;
  promptNumber: number;
  projectId: number;
  /** "p12" */
  promptItem: string;
}

/** Saves the handover for the session up to this turn. Files and request are those that the extractor found. */
export function saveHandover(db: Db, turn: Turn, handover: Handover, now: number): HandedOver {
  const { sessionDbId, promptNumber, promptItem } = turn;
  deriveSession(db, sessionDbId, now);
  return transaction(db, () => {
    const extracted = summariesOfTurn(db, sessionDbId, WHOLE_SESSION).find((row) => row.producer === EXTRACTOR.name);
    const { request, investigated, filesRead, filesEdited } =
      extracted === undefined
        ? { request: requestOf(db, sessionDbId), investigated: "", filesRead: [], filesEdited: [] }
        : summaryOf(extracted);
    const summary: SessionSummary = {
      request,
      investigated,
      filesRead,
      filesEdited,
      title: handover.title,
      subtitle: handover.subtitle,
      learned: handover.learned.join("\n"),
      completed: handover.completed.join("\n"),
      nextSteps: handover.open.join("\n"),
      notes: "",
      handover: handover.handover,
      evidence: [promptItem],
      lastPrompt: promptNumber,
    };
    saveSessionSummary(db, sessionDbId, summary, AGENT, now);
    return { decisions: handover.decisions.map((text) => saveDecision(db, turn, text, now)) };
  });
}

function requestOf(db: Db, sessionDbId: number): string {
  return titleOf(lastPrompts(db, sessionDbId, 1)[0]?.text ?? "");
}

/** At the end of a session its agent repeats what it remembered before, in other words: that is known. */
function saveDecision(db: Db, turn: Turn, text: string, now: number): HandedOver["decisions"][number] {
  const decision: Observation = {
    type: "decision",
    title: titleOf(text),
    narrative: text,
    facts: [],
    concepts: ["why-it-exists"],
    files: [],
    evidence: [turn.promptItem],
    origin: "assistant",
  };
  const known = currentTexts(db, turn.projectId).find(
    (row) => row.type === "decision" && isKnownText(text, `${row.title}\n${row.narrative}`),
  );
  if (known !== undefined) return { id: known.id, title: known.title, isNew: false, alike: [] };
  return { title: decision.title, ...rememberWithin(db, turn.projectId, decision, now, { turn }) };
}
