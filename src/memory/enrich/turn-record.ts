// Writes a turn as text for a model: every piece with its id, long texts cut in the middle, within a token limit.
import { filterText } from "../../core/privacy/filter.ts";
import { oneLine } from "../../core/text.ts";
import { estimateTokens } from "../../core/tokens.ts";
import type { EvidenceToolUse, TurnEvidence } from "../../store/reads/turn-evidence.ts";

export const MAX_RECORD_TOKENS = 16_000;

/** Characters kept of each text. For a long turn, all limits are scaled down by the same factor. */
const CHARS = { prompt: 6_000, response: 4_000, message: 1_500, input: 1_200, failed: 2_400, read: 400, output: 1_200 };
const SCALES = [1, 0.6, 0.35, 0.2, 0.1];
const MIN_CHARS = 120;

export type TurnRecord = ReturnType<typeof turnRecord>;

interface Piece {
  id: string;
  at: number;
  /** Pieces with the lowest weight are dropped first. */
  weight: number;
  text: string;
}

export function turnRecord(evidence: TurnEvidence, maxTokens = MAX_RECORD_TOKENS) {
  let pieces: Piece[] = [];
  for (const scale of SCALES) {
    pieces = piecesOf(evidence, scale);
    if (pieces.reduce((sum, piece) => sum + tokensOf(piece), 0) <= maxTokens) return join(pieces, 0);
  }
  const shown = heaviest(pieces, maxTokens);
  return join(shown, pieces.length - shown.length);
}

function piecesOf(evidence: TurnEvidence, scale: number): Piece[] {
  const { prompt, messages, toolUses, commits } = evidence;
  const cut: Cut = (text, chars) => escapeHeads(filterText(text, Math.max(MIN_CHARS, Math.round(chars * scale))));
  const ofPrompt = (weight: number, at: number, head: string, text: string): Piece => {
    return { id: prompt.id, at, weight, text: `=== ${head} ===\n${text}` };
  };
  const said = messages.filter((message) => message.role === "assistant" && message.text.trim() !== "");
  const last = said.at(-1);
  const pieces: Piece[] = [
    ...said.map(({ id, at, isSubagent, text }) => {
      const isLast = id === last?.id;
      const words = cut(text, isLast ? CHARS.response : CHARS.message);
      const head = `=== ${id} ${isSubagent ? "a subagent" : "the agent"} said ===`;
      return { id, at, weight: isSubagent ? 1 : isLast ? 9 : 3, text: `${head}\n${words}` };
    }),
    ...toolUses.map((use) => ({ id: use.id, at: use.at, weight: weightOf(use), text: toolText(use, cut) })),
  ];
  pieces.sort((a, b) => a.at - b.at);
  pieces.unshift(ofPrompt(10, 0, `${prompt.id} the user asked`, cut(prompt.text, CHARS.prompt)));
  if (prompt.response !== "" && !isResponseInMessages(evidence)) {
    pieces.push(ofPrompt(9, Infinity, `${prompt.id} the agent ended with`, cut(prompt.response, CHARS.response)));
  }
  if (commits.length > 0) {
    const list = commits.map(({ sha, subject }) => escapeHeads(filterText(`${sha.slice(0, 10)} ${subject}`, 200)));
    pieces.push(ofPrompt(8, Infinity, "commits", list.join("\n")));
  }
  return pieces;
}

/** True if a message contains the response, or if the turn has no response. */
export function isResponseInMessages({ prompt, messages }: TurnEvidence): boolean {
  const response = prompt.response.trim();
  return response === "" || messages.some((message) => message.text.trim().endsWith(response));
}

function weightOf(use: EvidenceToolUse): number {
  if (use.isError) return 7;
  if (isChange(use)) return 6;
  return isReading(use) ? 2 : 4;
}

export function isChange(use: EvidenceToolUse): boolean {
  return use.files.some((file) => file.kind !== "read");
}

const READING = /^(?:read|grep|glob|ls|list|search|find|view|webfetch|websearch|notebookread)/i;
/** A command with pipes or redirections may do more than read. */
const READING_COMMAND = /^(?:cd [^&|;]+&& *)?(?:cat|sed -n|head|tail|ls|find|tree|wc)\b[^|&;>]*$/;

function isReading(use: EvidenceToolUse): boolean {
  const command = use.input["command"];
  return !isChange(use) && (READING.test(use.name) || (typeof command === "string" && READING_COMMAND.test(command)));
}

type Cut = (text: string, chars: number) => string;

function toolText(use: EvidenceToolUse, cut: Cut): string {
  const exit = use.exitCode === null || use.exitCode === 0 ? "" : ` with exit code ${use.exitCode}`;
  const hasFailed = use.isError || exit !== "";
  const by = use.isSubagent ? ", by a subagent" : "";
  const changes = use.files.filter((file) => file.kind !== "read");
  const limit = hasFailed ? CHARS.failed : isReading(use) ? CHARS.read : CHARS.output;
  // The output of an edit repeats the file.
  const hasOutput = use.output.trim() !== "" && (!isChange(use) || use.isError);
  return [
    `=== ${use.id} ${oneLine(use.name, 60)}${hasFailed ? `, failed${exit}` : ""}${by} ===`,
    ...changes.map(({ path, kind, added, removed }) => escapeHeads(`${kind} ${path} +${added ?? 0} -${removed ?? 0}`)),
    ...inputLines(use, cut),
    ...(hasOutput ? ["--- output", cut(use.output, limit)] : []),
  ].join("\n");
}

function inputLines({ input }: EvidenceToolUse, cut: Cut): string[] {
  const entries = Object.entries(input).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const share = CHARS.input / Math.max(1, Math.min(entries.length, 4));
  return entries.slice(0, 12).map(([name, value]) => {
    return `${escapeHeads(name)}: ${cut(typeof value === "string" ? value : JSON.stringify(value), share)}`;
  });
}

/** A recorded text must not look like the head of another piece. */
export function escapeHeads(text: string): string {
  return text.trim().replace(/^===/gm, " ===");
}

function tokensOf({ text }: Piece): number {
  return estimateTokens(text) + 1;
}

/** The pieces with the highest weight that fit; of equal weights the latest. */
function heaviest(pieces: readonly Piece[], maxTokens: number): Piece[] {
  const shown = new Set<Piece>();
  let tokens = 0;
  for (const piece of pieces.toSorted((a, b) => b.weight - a.weight || b.at - a.at)) {
    tokens += tokensOf(piece);
    if (tokens > maxTokens) break;
    shown.add(piece);
  }
  return pieces.filter((piece) => shown.has(piece));
}

function join(pieces: readonly Piece[], leftOut: number) {
  const note = leftOut === 0 ? [] : [`=== ${leftOut} less important pieces are not shown ===`];
  const text = [...pieces.map((piece) => piece.text), ...note].join("\n\n");
  return { text, tokens: estimateTokens(text), ids: new Set(pieces.map(({ id }) => id)) };
}
