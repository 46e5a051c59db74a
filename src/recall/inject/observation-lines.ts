// Lines about observations: by title, in full, as a decision, or as an answer to a prompt.
import type { FullField } from "../../config/schema.ts";
import { sentencesOf, withFullStop } from "../../core/prose.ts";
import { ago, oneLine } from "../../core/text.ts";
import { estimateTokens } from "../../core/tokens.ts";
import type { WorkTree } from "../../core/work-tree.ts";
import { observationOf, type ObservationRow } from "../../store/tables/observations.ts";
import { type Line, quoteLine } from "./block.ts";
import { conflictWith, readRules, type RuleLine } from "./conflicts.ts";
import { checkAgainstTree, type Freshness, freshnessNote } from "./freshness.ts";

const TITLE_CHARS = 140;
const BODY_CHARS = 260;
const DECISION_CHARS = 220;

export function itemId(row: { id: number }): string {
  return `o${row.id}`;
}

/** True for "Changed x.ts": the title only repeats the file names. */
export function isFileList({ title }: { title: string }): boolean {
  return /^(?:Changed|Created|Updated) \S+$/.test(title);
}

/** Sentences that only list what was done: "Changed 3 files (+2 −1): a.ts, b.ts and 1 more." */
const WORK_LIST =
  /(?:Changed|Created|Deleted|Renamed) \d+ files?[^\n]*?(?:\.(?=\s|$)|$)|Asked: “[^”]*”|(?:Opened |Merged )?(?:PR|MR) #\d+[^\n.]*\.?/g;
const REFERENCE = /^(?:Commit|PR|MR|Issue) \S+:?[^\n]*$/gm;
const MIN_SUBSTANCE_CHARS = 30;

/** True if a user wrote or pinned it. */
export function isWrittenByUser({ producer, pinned }: ObservationRow): boolean {
  return producer === "user" || pinned === 1;
}

/** False for a note that says no more than its title and which files were changed. */
export function hasSubstance(row: ObservationRow): boolean {
  if (row.type === "decision" || row.type === "discovery" || isWrittenByUser(row)) return true;
  const { title, narrative, facts } = observationOf(row);
  const rest = withoutWorkList([narrative, ...facts].join("\n"))
    .replaceAll(title, "")
    .trim();
  return rest.length >= MIN_SUBSTANCE_CHARS;
}

/** Removes sentences that only list what was done, and references to commits. */
export function withoutWorkList(text: string): string {
  return text.replace(WORK_LIST, "").replace(REFERENCE, "").trim();
}

/** Labels of lists, rejected options, and states that end with the session. */
const NOT_SAID =
  /:\.?$|^Not chosen:|^Files?: |\bstill (?:running|working|waiting|investigating|in progress|pending)\b/i;

/** Shorter ones are the rest of a cut sentence. */
const MIN_SENTENCE_WORDS = 3;

/** The distinct sentences of its text besides the title, without lists of what was done. */
export function sentencesAbout(row: ObservationRow): string[] {
  const { title, narrative, facts } = observationOf(row);
  const all = [narrative, ...facts].flatMap((text) => sentencesOf(withoutWorkList(text)));
  return [...new Map(all.map((text) => [keyOf(text), withFullStop(text)])).values()].filter(
    (text) => text.split(" ").length >= MIN_SENTENCE_WORDS && keyOf(text) !== keyOf(title) && !NOT_SAID.test(text),
  );
}

/** The same sentence may be in the narrative and a fact, with another ending. */
function keyOf(text: string): string {
  return plain(text).replace(/[.\s]+$/, "");
}

/** Titles only. The ids are "i12", not "o12", so that the whole observation can still be injected later. */
export function* indexLines(rows: readonly ObservationRow[], now: number): Generator<Line> {
  for (const row of rows) yield { text: titleLine(row, now), items: [`i${row.id}`] };
}

export function fullLines(
  rows: readonly ObservationRow[],
  field: FullField,
  tree: WorkTree | undefined,
  now: number,
): Line[] {
  return rows.map((row) => {
    const freshness = checkRow(tree, row);
    const note = freshness.kind === "renamed" ? freshnessNote(freshness) : "";
    const body = bodyOf(row, field);
    return { text: `${titleLine(row, now)}${note}${body === "" ? "" : `\n  ${body}`}`, items: [itemId(row)] };
  });
}

/** "#o12  3 d  bugfix  Fix the login  ~120": the last number is the tokens of the whole observation. */
function titleLine(row: ObservationRow, now: number): string {
  const { title, narrative, facts } = observationOf(row);
  const tokens = estimateTokens([title, narrative, ...facts].join("\n"));
  return `#${itemId(row)}  ${age(row.valid_from, now)}  ${row.type}  ${quoteLine(title, TITLE_CHARS)}  ~${tokens}`;
}

export function decisionLines(rows: readonly ObservationRow[], rules: readonly RuleLine[], now: number): Line[] {
  return rows.map((row) => ({ text: `- ${decisionText(row, rules, now)}`, items: [itemId(row)] }));
}

/** If a rules file contradicts the decision, the line says so. */
function decisionText(row: ObservationRow, rules: readonly RuleLine[], now: number): string {
  const who = { user: "the user", tool: "from output", assistant: "the assistant" }[row.origin];
  const source = `(${who}, ${ago(row.valid_from, now)}, #${itemId(row)})`;
  const text = quoteLine(ruleOf(row), DECISION_CHARS);
  const rule = conflictWith(`${row.title} ${row.narrative}`, rules);
  if (rule === undefined) return `${text} ${source}`;
  const said = `an earlier decision says “${text}” ${source}`;
  return `CONFLICT: ${rule.file} says “${oneLine(rule.text, 120)}”, ${said}; ask the user which one applies.`;
}

/** "Which store should we use? → SQLite" for an answered question; else the title, or the text if the title is cut. */
function ruleOf({ title, narrative }: ObservationRow): string {
  const [, question, choice] = /^Asked “(.+?)”, the user chose: (.+)$/.exec(narrative) ?? [];
  if (question !== undefined && choice !== undefined) return `${question} → ${choice.replace(/\.$/, "")}`;
  return title.endsWith("…") ? narrative : title;
}

/** The text first, then type, source, age and id. */
export function answerLine(
  row: ObservationRow,
  freshness: Freshness,
  tree: WorkTree | undefined,
  now: number,
  said?: readonly string[],
): Line {
  const items = [itemId(row)];
  const rules = row.type === "decision" && tree !== undefined ? readRules(tree.rules) : [];
  if (conflictWith(`${row.title} ${row.narrative}`, rules) !== undefined)
    return { text: `- ${decisionText(row, rules, now)}`, items };
  const body = said === undefined ? withoutWorkList(bodyOf(row, "narrative")) : quoteLine(said.join(" "), BODY_CHARS);
  const title = quoteLine(row.title, TITLE_CHARS);
  const isTold = (said === undefined && row.title.endsWith("…")) || plain(body).includes(plain(row.title));
  const text = isTold && body !== "" ? body : [title, body].filter(Boolean).join(": ");
  const source = row.origin === "tool" ? ", from tool output" : "";
  const note = freshnessNote(freshness);
  return { text: `- ${text} (${row.type}${source}, ${ago(row.valid_from, now)}, #${itemId(row)})${note}`, items };
}

function plain(text: string): string {
  return text.replaceAll("`", "").toLowerCase();
}

/** Without a working tree, observations are not checked. */
export function checkRow(tree: WorkTree | undefined, row: ObservationRow): Freshness {
  if (tree === undefined) return { kind: "holds" };
  return checkAgainstTree(observationOf(row), { top: tree.top, since: row.valid_from, readFiles: true });
}

/** The narrative or facts, without the title if they begin with it. */
function bodyOf(row: ObservationRow, field: FullField): string {
  const { title, narrative, facts } = observationOf(row);
  const body = field === "facts" && facts.length > 0 ? facts.join(" · ") : narrative;
  const rest = body.startsWith(title) ? body.slice(title.length).replace(/^[\s.:]+/, "") : body;
  return quoteLine(rest === "" ? facts.join(" · ") : rest, BODY_CHARS);
}

/** "5 min", "7 h", "3 d" */
function age(at: number, now: number): string {
  const minutes = Math.max(0, Math.round((now - at) / 60_000));
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} d`;
}
