// The state of the interactive search, and how each key changes it. Pure: searching and drawing are separate.
import type { SessionEntry } from "../../store/reads/session-list.ts";
import { graphemes } from "../../platform/terminal/width.ts";
import type { Key } from "./keys.ts";

/** A change of the question starts a search. */
export interface Question {
  query: string;
  /** Only the current project. */
  here: boolean;
  agent: string | undefined;
  days: number | undefined;
}

export interface Result {
  session: SessionEntry;
  at: number;
  /** The turn that matches; missing in the list of the newest sessions. */
  promptNumber?: number;
}

/** How results were found. "no meaning": by keywords only, because semantic search failed. */
export type FoundBy = "keywords" | "meaning" | "no meaning";

export type Outcome = { kind: "leave"; exitCode: number } | { kind: "open"; result: Result };

export interface State {
  question: Question;
  /** Index into the query. */
  cursor: number;
  results: readonly Result[];
  by: FoundBy;
  selected: number;
  /** The first result on the screen. */
  top: number;
  size: Size;
  /** The current project, if it has sessions. */
  project: string | undefined;
  agents: readonly string[];
  outcome?: Outcome;
}

const TIMES: readonly (number | undefined)[] = [undefined, 7, 30];
/** Only the beginning of a longer paste is searched. */
const MAX_QUERY_CHARS = 2_000;

export function createState(options: Pick<State, "size" | "project" | "agents">): State {
  const question = { query: "", here: options.project !== undefined, agent: undefined, days: undefined };
  return { ...options, question, cursor: 0, results: [], by: "keywords", selected: 0, top: 0 };
}

export function pressKey(state: State, key: Key): State {
  if (state.outcome !== undefined) return state;
  if (key.kind === "text") return edit(state, state.cursor, state.cursor, key.text);
  const name = SAME_AS[key.name] ?? key.name;
  return KEYS[name]?.(state) ?? state;
}

/** Results of a new question: the first is selected. */
export function showResults(state: State, results: readonly Result[]): State {
  return { ...state, results, by: "keywords", selected: 0, top: 0 };
}

/** Better results for the same question: a selected session stays selected. */
export function refineResults(state: State, { results, by }: { results: readonly Result[]; by: FoundBy }): State {
  const chosen = state.selected === 0 ? undefined : state.results[state.selected]?.session.id;
  const index = results.findIndex(({ session }) => session.id === chosen);
  return select({ ...state, results, by }, Math.max(0, index));
}

export function resize(state: State, size: Size): State {
  return select({ ...state, size }, state.selected);
}

/** Keys that do the same as another key. */
const SAME_AS: Readonly<Record<string, string>> = {
  "ctrl-p": "up",
  "ctrl-n": "down",
  "shift-tab": "tab",
  "ctrl-b": "left",
  "ctrl-f": "right",
  "ctrl-left": "meta-b",
  "meta-left": "meta-b",
  "ctrl-right": "meta-f",
  "meta-right": "meta-f",
  "ctrl-e": "end",
  "meta-backspace": "ctrl-w",
  enter: "return",
};

const KEYS: Readonly<Record<string, (state: State) => State>> = {
  up: (state) => select(state, state.selected - 1),
  down: (state) => select(state, state.selected + 1),
  pageup: (state) => select(state, state.selected - layoutOf(state.size).listRows),
  pagedown: (state) => select(state, state.selected + layoutOf(state.size).listRows),

  tab: (state) => (state.project === undefined ? state : changeQuestion(state, { here: !state.question.here })),
  "ctrl-a": (state) => changeQuestion(state, { agent: nextOf([undefined, ...state.agents], state.question.agent) }),
  "ctrl-t": (state) => changeQuestion(state, { days: nextOf(TIMES, state.question.days) }),

  left: (state) => ({ ...state, cursor: previousCharacter(state) }),
  right: (state) => ({ ...state, cursor: nextCharacter(state) }),
  "meta-b": (state) => ({ ...state, cursor: wordStart(state) }),
  "meta-f": (state) => ({ ...state, cursor: wordEnd(state) }),
  home: (state) => ({ ...state, cursor: 0 }),
  end: (state) => ({ ...state, cursor: state.question.query.length }),
  backspace: (state) => edit(state, previousCharacter(state), state.cursor, ""),
  delete: (state) => edit(state, state.cursor, nextCharacter(state), ""),
  "ctrl-w": (state) => edit(state, wordStart(state), state.cursor, ""),
  "ctrl-u": (state) => edit(state, 0, state.cursor, ""),
  "ctrl-k": (state) => edit(state, state.cursor, state.question.query.length, ""),

  return: open,
  escape: (state) => leave(state, 0),
  "ctrl-c": (state) => leave(state, 130),
  "ctrl-d": (state) =>
    state.question.query === "" ? leave(state, 0) : edit(state, state.cursor, nextCharacter(state), ""),
};

function leave(state: State, exitCode: number): State {
  return { ...state, outcome: { kind: "leave", exitCode } };
}

function open(state: State): State {
  const result = state.results[state.selected];
  return result === undefined ? state : { ...state, outcome: { kind: "open", result } };
}

function changeQuestion(state: State, change: Partial<Question>): State {
  return { ...state, question: { ...state.question, ...change } };
}

function edit(state: State, from: number, to: number, text: string): State {
  const { query } = state.question;
  const freeChars = Math.max(0, MAX_QUERY_CHARS - query.length + (to - from));
  const added = text.slice(0, freeChars).replace(/[\uD800-\uDBFF]$/, "");
  const edited = changeQuestion(state, { query: query.slice(0, from) + added + query.slice(to) });
  return { ...edited, cursor: from + added.length };
}

/** Selects a result and scrolls to it. */
function select(state: State, wanted: number): State {
  const { listRows } = layoutOf(state.size);
  const selected = Math.max(0, Math.min(wanted, state.results.length - 1));
  const lowest = Math.max(0, Math.min(selected, state.results.length - listRows));
  const top = Math.max(selected - listRows + 1, Math.min(state.top, lowest));
  return { ...state, selected, top: Math.max(0, top) };
}

function nextOf<T>(values: readonly T[], current: T): T {
  return values[(values.indexOf(current) + 1) % values.length] as T;
}

function previousCharacter({ question, cursor }: State): number {
  return [...graphemes(question.query.slice(0, cursor))].at(-1)?.index ?? 0;
}

function nextCharacter({ question, cursor }: State): number {
  const [next] = graphemes(question.query.slice(cursor));
  return cursor + (next?.text.length ?? 0);
}

function wordStart({ question, cursor }: State): number {
  return question.query.slice(0, cursor).search(/\S*\s*$/);
}

function wordEnd({ question, cursor }: State): number {
  return cursor + (/^\s*\S*/.exec(question.query.slice(cursor))?.[0].length ?? 0);
}

export interface Size {
  columns: number;
  rows: number;
}

/** The rows of the screen: query, filters, list, snippet, keys. */
interface Layout {
  filters: boolean;
  listRows: number;
  /** Rows for the snippet; with 0 its heading is left out, too. */
  snippetRows: number;
  keys: boolean;
}

const SNIPPET_ROWS = 3;
/** A rule, and a line about the session. */
const SNIPPET_HEAD_ROWS = 2;
const MIN_ROWS_FOR_SNIPPET = 14;
const MIN_ROWS_FOR_KEYS = 6;
const MIN_ROWS_FOR_FILTERS = 4;

export function layoutOf({ rows }: Size): Layout {
  const filters = rows >= MIN_ROWS_FOR_FILTERS;
  const keys = rows >= MIN_ROWS_FOR_KEYS;
  const snippetRows = rows >= MIN_ROWS_FOR_SNIPPET ? SNIPPET_ROWS : 0;
  const snippet = snippetRows === 0 ? 0 : snippetRows + SNIPPET_HEAD_ROWS;
  return { filters, keys, snippetRows, listRows: Math.max(0, rows - 1 - Number(filters) - Number(keys) - snippet) };
}
