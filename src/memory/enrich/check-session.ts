// Checks a model's reply about a whole session: every line may only name what occurs in the session.
import { asArray, asCount, asObject, asObjects, type JsonObject } from "../../core/json.ts";
import type { Observation, SessionSummary } from "../../core/memory.ts";
import type { Piece } from "./cited.ts";
import { isKnownText } from "../known-texts.ts";
import { settledBy, withQuote } from "./quotes.ts";
import { type Ground, line, lines, listOf, passes, passingText, type Sources, type Tally } from "./grounding.ts";
import type { SessionRecord } from "./session-record.ts";

const TITLE_CHARS = 120;
const SUBTITLE_CHARS = 240;
const FIELD_CHARS = 2_000;
const LINE_CHARS = 300;
const MAX_HANDOVER = 6;
const MAX_OPEN = 8;
const MAX_DECISIONS = 8;

/** The whole session, to check against. */
export interface SessionGround {
  /** By id: "p12". */
  pieces: ReadonlyMap<string, Piece>;
  /** In lower case: all that was said, done and noted. */
  text: string;
  /** What the user wrote, as plain words. */
  asked: string;
  sources: Sources;
  filesRead: string[];
  filesEdited: string[];
}

export interface CheckedSession {
  summary: SessionSummary;
  /** Decisions that no note of the session has yet. */
  decisions: { turn: number; observation: Observation }[];
  tally: Tally;
}

export function checkSession(
  reply: unknown,
  record: SessionRecord,
  session: SessionGround,
): CheckedSession | { problem: string } {
  const answer = asObject(reply);
  if (answer === undefined) return { problem: "it is not a JSON object" };
  const tally: Tally = { kept: 0, dropped: 0 };
  const ground: Ground = { text: session.text, asked: session.asked, tally };
  const title = line(answer["title"], TITLE_CHARS);
  if (title === "") return { problem: "it has no title" };
  if (!passes(title, ground)) return { problem: "its title names something that is not in the session" };
  const field = (name: string): string => passingText(lines(answer[name], FIELD_CHARS), ground);
  const list = (name: string, max: number): string[] => {
    // These lead the next session, so tools and pages must not write them.
    const passing = listOf(answer[name], LINE_CHARS).filter((one) =>
      passes(one, { ...ground, sources: session.sources }),
    );
    return [...new Set(passing)].slice(0, max);
  };
  const evidence = asArray(answer["evidence"]).filter((id) => typeof id === "string" && record.ids.has(id)) as string[];
  const summary: SessionSummary = {
    title,
    subtitle: passingText(line(answer["subtitle"], SUBTITLE_CHARS), ground),
    request: field("request"),
    investigated: field("investigated"),
    learned: field("learned"),
    completed: field("completed"),
    notes: field("notes"),
    nextSteps: list("open", MAX_OPEN).join("\n"),
    filesRead: session.filesRead,
    filesEdited: session.filesEdited,
    handover: list("handover", MAX_HANDOVER),
    evidence: evidence.length > 0 ? [...new Set(evidence)] : record.prompts.slice(-1).map(({ id }) => `p${id}`),
    lastPrompt: record.prompts.at(-1)?.prompt_number ?? 0,
  };
  if (summary.request + summary.completed + summary.learned === "" && summary.handover.length === 0)
    return { problem: "it has no summary" };
  const decisions = asObjects(answer["decisions"])
    .slice(0, MAX_DECISIONS)
    .flatMap((raw) => checkDecision(raw, record, session, ground) ?? []);
  return { summary, decisions: decisions.filter(({ observation }) => !isKnown(observation, record)), tally };
}

function checkDecision(raw: JsonObject, record: SessionRecord, { pieces }: SessionGround, ground: Ground) {
  const title = line(raw["title"], TITLE_CHARS + LINE_CHARS);
  const named = asCount(raw["turn"]) ?? 0;
  const cited = asArray(raw["evidence"]);
  const isCited = ({ id }: { id: number }): boolean => cited.includes(`p${id}`);
  const prompts = record.prompts.filter((one) => one.prompt_number === named || isCited(one));
  const found = prompts.flatMap((prompt) => {
    const piece = pieces.get(`p${prompt.id}`);
    const quote = piece && settledBy(raw["quote"], title, [piece], `${piece.asked}\n${piece.said}`);
    return quote === undefined ? [] : [{ prompt, quote }];
  });
  const [settled] = found;
  if (title === "" || settled === undefined) {
    ground.tally.dropped++;
    return undefined;
  }
  if (!passes(title, ground)) return undefined;
  const { prompt, quote } = settled;
  const observation: Observation = {
    type: "decision",
    title,
    narrative: title,
    facts: withQuote([], quote, title),
    concepts: [],
    files: [],
    evidence: [`p${prompt.id}`],
    origin: quote.origin,
  };
  return { turn: prompt.prompt_number, observation };
}

/** Decisions that were replaced or withdrawn count as known: they must not come back. */
function isKnown({ title }: Observation, { decisions }: SessionRecord): boolean {
  return decisions.some((row) => isKnownText(title, `${row.title}\n${row.narrative}`));
}
