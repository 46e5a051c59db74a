// A turn as a model is shown it: every piece with its id, long texts with head and tail, the whole within a limit.
import { filterText } from "../../core/privacy/filter.ts";
import { oneLine } from "../../core/text.ts";
import { estimateTokens } from "../../core/tokens.ts";
import type { EvidenceToolUse, TurnEvidence } from "../../store/reads/turn-evidence.ts";

/** What a turn may take of a question, by our own count. */
export const MAX_RECORD_TOKENS = 16_000;

/** Characters kept of each text. Where a turn is too long with them, all are made smaller alike. */
const CHARS = { prompt: 6_000, response: 4_000, message: 1_500, input: 1_200, failed: 2_400, read: 400, output: 1_200 };
const SCALES = [1, 0.6, 0.35, 0.2, 0.1];
const MIN_CHARS = 120;

export interface TurnRecord {
  text: string;
  /** Ids that may be cited: of what was shown, not of what was left out. */
  ids: Set<string>;
}

interface Piece {
  id: string;
  at: number;
  /** What has to be left out goes by this, the smallest first. */
  weight: number;
  text: string;
}

export function turnRecord(evidence: TurnEvidence, maxTokens = MAX_RECORD_TOKENS): TurnRecord {
  let pieces: Piece[] = [];
  for (const scale of SCALES) {
    pieces = piecesOf(evidence, scale);
    if (tokensOf(pieces) <= maxTokens) return join(pieces, 0);
  }
  const kept = keepWithin(pieces, maxTokens);
  return join(kept, pieces.length - kept.length);
}

function piecesOf(evidence: TurnEvidence, scale: number): Piece[] {
  const { prompt, messages, toolUses, commits } = evidence;
  const cut = (text: string, chars: number): string =>
    plain(filterText(text, Math.max(MIN_CHARS, Math.round(chars * scale))));
  const said = messages.filter((message) => message.role === "assistant" && message.text.trim() !== "");
  const isResponseSaid = isCovered(evidence);
  const between: Piece[] = [
    ...said.map((message, index) => ({
      id: message.id,
      at: message.at,
      weight: message.isSubagent ? 1 : index === said.length - 1 ? 9 : 3,
      text: `=== ${message.id} ${message.isSubagent ? "a subagent" : "the agent"} said ===\n${cut(
        message.text,
        index === said.length - 1 ? CHARS.response : CHARS.message,
      )}`,
    })),
    ...toolUses.map((use) => ({ id: use.id, at: use.at, weight: weightOf(use), text: findToolUse(use, cut) })),
  ].sort((a, b) => a.at - b.at);
  return [
    {
      id: prompt.id,
      at: 0,
      weight: 10,
      text: `=== ${prompt.id} the user asked ===\n${cut(prompt.text, CHARS.prompt)}`,
    },
    ...between,
    ...(isResponseSaid || prompt.response === ""
      ? []
      : [
          {
            id: prompt.id,
            at: Infinity,
            weight: 9,
            text: `=== ${prompt.id} the agent ended with ===\n${cut(prompt.response, CHARS.response)}`,
          },
        ]),
    ...(commits.length === 0
      ? []
      : [{ id: prompt.id, at: Infinity, weight: 8, text: `=== commits ===\n${commits.map(commitLine).join("\n")}` }]),
  ];
}

/** True where the words a turn ended with are among the messages: then they have an id of their own. */
export function isCovered({ prompt, messages }: TurnEvidence): boolean {
  const response = prompt.response.trim();
  return response === "" || messages.some((message) => message.text.trim().endsWith(response));
}

function commitLine({ sha, subject }: { sha: string; subject: string }): string {
  return plain(filterText(`${sha.slice(0, 10)} ${subject}`, 200));
}

function weightOf(use: EvidenceToolUse): number {
  if (use.isError) return 7;
  if (isChange(use)) return 6;
  return isReading(use) ? 2 : 4;
}

function isChange(use: EvidenceToolUse): boolean {
  return use.files.some((file) => file.kind !== "read");
}

const READING = /^(?:read|grep|glob|ls|list|search|find|view|webfetch|websearch|notebookread)/i;
/** Alone: what is piped or redirected is more than a look. */
const READING_COMMAND = /^(?:cd [^&|;]+&& *)?(?:cat|sed -n|head|tail|ls|find|tree|wc)\b[^|&;>]*$/;

function isReading({ name, input, files }: EvidenceToolUse): boolean {
  if (files.some((file) => file.kind !== "read")) return false;
  return READING.test(name) || (typeof input["command"] === "string" && READING_COMMAND.test(input["command"]));
}

type Cut = (text: string, chars: number) => string;

function findToolUse(use: EvidenceToolUse, cut: Cut): string {
  const exit = use.exitCode === undefined || use.exitCode === 0 ? "" : ` with exit code ${use.exitCode}`;
  const outcome = use.isError || exit !== "" ? `, failed${exit}` : "";
  const by = use.isSubagent ? ", by a subagent" : "";
  const changed = use.files
    .filter((file) => file.kind !== "read")
    .map(({ path, kind, added, removed }) => plain(`${kind} ${path} +${added ?? 0} -${removed ?? 0}`));
  const limit = use.isError || exit !== "" ? CHARS.failed : isReading(use) ? CHARS.read : CHARS.output;
  return [
    `=== ${use.id} ${oneLine(use.name, 60)}${outcome}${by} ===`,
    ...changed,
    ...inputLines(use, cut),
    // What an edit answers is the file over again.
    ...(use.output.trim() === "" || (isChange(use) && !use.isError) ? [] : ["--- output", cut(use.output, limit)]),
  ].join("\n");
}

function inputLines({ input }: EvidenceToolUse, cut: Cut): string[] {
  const entries = Object.entries(input).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const share = CHARS.input / Math.max(1, Math.min(entries.length, 4));
  return entries.slice(0, 12).map(([name, value]) => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return `${plain(name)}: ${cut(text, share)}`;
  });
}

/** A recorded text must not look like the beginning of another piece. */
function plain(text: string): string {
  return text.trim().replace(/^===/gm, " ===");
}

function tokensOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, piece) => sum + estimateTokens(piece.text) + 1, 0);
}

/** The weightiest, and of the same weight the latest, as many as fit. */
function keepWithin(pieces: readonly Piece[], maxTokens: number): Piece[] {
  const order = pieces.toSorted((a, b) => b.weight - a.weight || b.at - a.at);
  const kept = new Set<Piece>();
  let tokens = 0;
  for (const piece of order) {
    tokens += estimateTokens(piece.text) + 1;
    if (tokens > maxTokens) break;
    kept.add(piece);
  }
  return pieces.filter((piece) => kept.has(piece));
}

function join(pieces: readonly Piece[], leftOut: number): TurnRecord {
  const note = leftOut === 0 ? [] : [`=== ${leftOut} more, of less weight, are not shown ===`];
  return {
    text: [...pieces.map((piece) => piece.text), ...note].join("\n\n"),
    ids: new Set(pieces.map((piece) => piece.id)),
  };
}
