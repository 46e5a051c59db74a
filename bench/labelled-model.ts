// A scripted model whose replies are the labels of real turns: the annotator's title, quoted decisions and findings,
// what is left open; and, for a whole session, an annotator's handover. It knows nothing that is not in the request:
// a sentence that was cut from the record is left out of the reply.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { type ModelRequest, type Piece, promptOf, saidIn } from "../test/conformance/model-request.ts";
import { type ChatServer, startChatServer } from "./chat-server.ts";
import { type Handover, type LabelledSentence, type LabelledTurn, readHandovers, readTurns } from "./label-data.ts";
import { cite, findQuote, normalise, type Quote, sharedWords, shorten } from "./quote.ts";

const TITLE_CHARS = 80;
const LINE_CHARS = 200;
/** How many characters of a prompt the labels are matched by. */
const PROMPT_CHARS = 60;

/** A request's path is the encoded path of the data directory, so that its prompts can be looked up. */
export function startLabelledModel(folder: string): Promise<ChatServer> {
  const turns = Map.groupBy(readTurns(folder), ({ session }) => session);
  const handovers = new Map(readHandovers(folder).map((one) => [one.session, one]));
  return startChatServer((request, path) => {
    const prompts = promptsIn(decodeURIComponent(path.replace(/^\//, "").replace(/\/v1$/, "")), request);
    if (request.purpose === "turns") return turnsReply(request, (turn) => labelOf(turns, prompts.get(turn)));
    // Without a handover by an annotator the model refuses, and the extractor's summary stays.
    const [session] = [...prompts.values()].map((prompt) => prompt.session);
    const handover = handovers.get(session ?? "");
    const labelled = turns.get(session ?? "") ?? [];
    return request.purpose === "session" && handover !== undefined
      ? sessionReply(
          request,
          handover,
          labelled.flatMap(({ sentences }) => sentences),
        )
      : undefined;
  });
}

export const modelUrl = ({ url }: ChatServer, home: string): string => `${url}/${encodeURIComponent(home)}/v1`;

interface StoredPrompt {
  /** The agent's id of the session. */
  session: string;
  prompt: number;
  text: string;
  /** All prompts of the session. */
  beside: { number: number; text: string }[];
}

function promptsIn(home: string, request: ModelRequest): Map<number, StoredPrompt> {
  const db = new DatabaseSync(join(home, "c-mem.db"), { readOnly: true, timeout: 5_000 });
  try {
    const find = db.prepare(`SELECT s.id, s.session_id, p.prompt_number, p.text
      FROM prompts p JOIN sessions s ON s.id = p.session_db_id WHERE p.id = ?`);
    const all = db.prepare("SELECT prompt_number AS number, text FROM prompts WHERE session_db_id = ?");
    return new Map(
      request.turns.flatMap((turn) => {
        const row = find.get(Number(promptOf(request, turn)?.id.slice(1) ?? 0));
        if (row === undefined) return [];
        const { id, session_id: session, prompt_number: prompt, text } = row as unknown as StoredRow;
        return [[turn, { session, prompt, text, beside: all.all(id) as unknown as StoredPrompt["beside"] }]];
      }),
    );
  } finally {
    db.close();
  }
}

interface StoredRow {
  id: number;
  session_id: string;
  prompt_number: number;
  text: string;
}

/** Matched as the script that scores does: by the beginning of the prompt; of several, the nearest by number. */
function labelOf(
  turns: ReadonlyMap<string, LabelledTurn[]>,
  stored: StoredPrompt | undefined,
): LabelledTurn | undefined {
  return turns.get(stored?.session ?? "")?.find(({ prompt, turn }) => {
    const head = normalise(prompt).slice(0, PROMPT_CHARS);
    const [nearest] = (stored?.beside ?? [])
      .filter(({ text }) => normalise(text).startsWith(head))
      .toSorted((a, b) => Math.abs(a.number - turn) - Math.abs(b.number - turn));
    return nearest?.number === stored?.prompt;
  });
}

function turnsReply(request: ModelRequest, labelFor: (turn: number) => LabelledTurn | undefined): object {
  const replies = request.turns.map((turn) => {
    const pieces = request.pieces.filter((piece) => piece.turn === turn);
    const label = labelFor(turn);
    return label === undefined ? plainReply(turn, pieces) : labelledReply(turn, pieces, label);
  });
  return {
    observations: replies.flatMap(({ observations }) => observations),
    confirmed: [],
    closed: [],
    turns: replies.map(({ summary }) => summary),
  };
}

interface TurnReply {
  observations: object[];
  summary: object;
}

/** Of a turn without labels: what was asked, and how the agent ended. */
function plainReply(turn: number, pieces: readonly Piece[]): TurnReply {
  const last = pieces.findLast(({ head }) => head.startsWith("the agent"));
  const completed = shorten(last?.text.split("\n")[0] ?? "", LINE_CHARS);
  const wasChanged = pieces.some(({ text }) => /^(?:edit|create) /.test(text));
  const note = { type: "change", title: shorten(completed, TITLE_CHARS), narrative: completed, quote: "" };
  return {
    observations: last && wasChanged ? [observation(turn, note, [last.id])] : [],
    summary: turnSummary(turn, pieces, { completed, learned: "", next_steps: "" }, last === undefined ? [] : [last.id]),
  };
}

interface Note {
  type: string;
  title: string;
  narrative: string;
  quote: string;
}

function observation(turn: number, note: Note, evidence: string[]): object {
  return { turn, ...note, subtitle: "", facts: [], concepts: [], files: [], evidence, replaces: [] };
}

function turnSummary(
  turn: number,
  pieces: readonly Piece[],
  fields: { completed: string; learned: string; next_steps: string },
  evidence: string[],
): object {
  const [prompt] = pieces;
  const request = shorten(prompt?.text ?? "", LINE_CHARS);
  const ids = [...new Set([...(prompt === undefined ? [] : [prompt.id]), ...evidence])];
  return { turn, request, investigated: "", ...fields, notes: "", evidence: ids };
}

function labelledReply(turn: number, pieces: readonly Piece[], label: LabelledTurn): TurnReply {
  const said = pieces.filter(({ id }) => /^[pm]/.test(id));
  const quotes = label.sentences.map((sentence) => ({ sentence, quote: findQuote(sentence.text, said) }));
  const having = (isWanted: (sentence: LabelledSentence) => boolean) =>
    quotes.flatMap(({ sentence, quote }) => (quote !== undefined && isWanted(sentence) ? [{ sentence, quote }] : []));
  const headline = quotes[label.headline];
  const decisions = having(({ label: kind, useful }) => kind === "D" && useful > 0);
  const findings = having(({ label: kind, useful }) => kind === "F" && useful === 2);
  const open = having(({ label: kind }) => kind === "N");
  const results = having(({ label: kind, useful }) => kind === "W" && useful > 0);
  const others = [...decisions, ...findings].filter(({ sentence }) => sentence !== headline?.sentence);
  const main = label.title === "" || label.type === "none" ? [] : [headlineNote(turn, pieces, label, headline?.quote)];
  const nextSteps = open.length > 0 ? open.map(({ quote }) => quote.words) : label.open;
  const fields = {
    completed: [label.title, ...results.map(({ quote }) => quote.words)].filter(Boolean).join("\n"),
    learned: findings.map(({ quote }) => quote.words).join("\n"),
    next_steps: nextSteps.join("\n"),
  };
  const quoted = [...results, ...findings, ...open].map(({ quote }) => quote.piece);
  return {
    observations: [...main, ...others.map(({ sentence, quote }) => quotedNote(turn, sentence, quote))],
    summary: turnSummary(
      turn,
      pieces,
      fields,
      cite(Object.values(fields).join("\n"), pieces, [...new Set(quoted)], 12),
    ),
  };
}

/** The annotator's title, with the sentence that says it best. A decision quotes that sentence. */
function headlineNote(turn: number, pieces: readonly Piece[], label: LabelledTurn, quote: Quote | undefined): object {
  const { title, type } = label;
  const narrative = quote?.words ?? title;
  const evidence = cite(`${title}\n${narrative}`, pieces, quote === undefined ? [] : [quote.piece]);
  const isDecision = type === "decision" && quote !== undefined;
  // Without words to quote, it is not a decision that a model could report.
  const kind = type === "decision" && !isDecision ? "discovery" : type;
  return observation(turn, { type: kind, title, narrative, quote: isDecision ? quote.words : "" }, evidence);
}

function quotedNote(turn: number, { label, text }: LabelledSentence, { piece, words }: Quote): object {
  const isDecision = label === "D";
  const type = isDecision ? "decision" : "discovery";
  const note = { type, title: shorten(text, TITLE_CHARS), narrative: words, quote: isDecision ? words : "" };
  return observation(turn, note, [piece.id]);
}

/** At least this share of a decision's words must stand in the sentence that is quoted for it. */
const QUOTED_SHARE = 0.4;
const MAX_CITED = 40;

function sessionReply(request: ModelRequest, handover: Handover, sentences: readonly LabelledSentence[]): object {
  const said = saidIn(request);
  const { title, subtitle, results, open, handover: lines } = handover;
  const decided = sentences.filter(({ label }) => label === "D").flatMap(({ text }) => findQuote(text, said) ?? []);
  const decisions = handover.decisions.flatMap((decision) => {
    const [best] = decided
      .map((quote) => ({ quote, share: sharedWords(decision, quote.words) }))
      .filter(({ share }) => share >= QUOTED_SHARE)
      .toSorted((a, b) => b.share - a.share);
    if (best === undefined) return [];
    const { piece, words } = best.quote;
    const by = piece.head.startsWith("the user") ? "user" : "agent";
    return [{ title: decision, by, quote: words, turn: piece.turn, evidence: cite(decision, request.pieces, [piece]) }];
  });
  const all = [title, subtitle, ...results, ...open, ...lines].join("\n");
  return {
    title,
    subtitle,
    request: shorten(said[0]?.text ?? "", LINE_CHARS),
    investigated: "",
    learned: "",
    completed: results.join("\n"),
    notes: "",
    open,
    decisions,
    handover: lines,
    evidence: cite(all, request.pieces, said.slice(0, 1), MAX_CITED),
  };
}
