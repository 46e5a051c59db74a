// Asks a model for a whole session's title, summary, decisions and handover, checks the reply, and saves what passes.
import type { Producer } from "../../core/memory.ts";
import { plainWords } from "../../core/words.ts";
import type { LlmRequest, Provider } from "../../llm/provider.ts";
import type { Db } from "../../store/db/driver.ts";
import { transaction } from "../../store/db/transaction.ts";
import { isCopiedSession } from "../../store/reads/copied-turns.ts";
import { loadTurnEvidence } from "../../store/reads/turn-evidence.ts";
import { recordChecks } from "../../store/tables/ledger.ts";
import { deleteReply } from "../../store/tables/model-replies.ts";
import { SESSION_IDLE_MS } from "../../store/tables/model-turns.ts";
import { contentHash, insertObservation } from "../../store/tables/observations.ts";
import { promptsOf } from "../../store/tables/prompts.ts";
import { type ModelSession, sessionForModel } from "../../store/tables/sessions.ts";
import { writtenSummaries } from "../../store/tables/summaries.ts";
import { hasTombstone } from "../../store/tables/tombstones.ts";
import { saveSessionSummary } from "../save-session.ts";
import { askModel, type Enriched, kept, outcomeIfPaused } from "./ask-model.ts";
import { type CheckedSession, checkSession, type SessionGround } from "./check-session.ts";
import { askedIn, type Piece, piecesOf } from "./cited.ts";
import { type EnrichOptions, UNKNOWN_SETTINGS } from "./enrich-turns.ts";
import { sessionRecord, type SessionRecord } from "./session-record.ts";
import { SESSION_PROMPT_HASH, sessionRequest } from "./session-request.ts";
import { repeatRequest, requestHash } from "./turns-request.ts";

/** A shorter session is not worth a request. */
const MIN_CHARS = 1_500;
/** After this idle time, a turn without an end no longer runs: the agent was closed, or waits for the user. */
const OPEN_TURN_MS = 30 * 60_000;

/** Call after the session's turns were sent. Returns model failures as outcomes. */
export async function enrichSession(
  db: Db,
  provider: Provider,
  sessionDbId: number,
  { settings, now = Date.now, signal, isRepeated = false, recording = () => "on" }: EnrichOptions,
): Promise<Enriched> {
  const paused = outcomeIfPaused(db, provider, now());
  if (paused !== undefined) return paused;
  const session = sessionForModel(db, sessionDbId);
  if (session === undefined) return kept("the session was deleted");
  if (isCopiedSession(db, sessionDbId)) return kept("it is a copy of another session");
  const state = recording(session.cwd);
  if (state === "unknown") return UNKNOWN_SETTINGS;
  if (state === "off") return kept("its folder is excluded from recording");
  const isRunning = session.status === "active" && now() - session.last_at < OPEN_TURN_MS;
  if (isRunning && session.has_checkpoint === 0)
    return { kind: "later", afterMs: SESSION_IDLE_MS, counts: false, isWaiting: true, message: "a turn is running" };
  const record = sessionRecord(db, sessionDbId);
  const covered = writtenSummaries(db, sessionDbId)[0]?.last_prompt ?? 0;
  if (covered >= lastTurnOf(record)) return kept("it has a summary");
  if (record.notes.length === 0 && record.text.length < MIN_CHARS) return kept("the session has too little content");
  const request = { ...sessionRequest(session.project, record), conversation: String(sessionDbId), isRepeated };
  const producer = { name: `${provider.name}/${provider.model}`, promptHash: SESSION_PROMPT_HASH };
  const ground = groundOfSession(db, session, record);
  let sent: LlmRequest = request;
  for (const isFirst of [true, false]) {
    const question = { projectId: session.project_id, sessionDbId, purpose: "session", request: sent } as const;
    const answer = await askModel(db, provider, question, { settings, now, signal });
    if ("kind" in answer) return answer;
    const checked = checkSession(answer.reply.value, record, ground);
    const hashes = [sent, request].map((one) => requestHash(producer.name, one));
    if (!("problem" in checked)) return saveReply(db, session, { ...answer, record, checked, producer, hashes }, now());
    if (!isFirst) {
      for (const hash of hashes) deleteReply(db, hash);
      return kept(`the model's answer cannot be used: ${checked.problem}`);
    }
    sent = repeatRequest(request, checked.problem);
  }
  throw new Error("unreachable");
}

function lastTurnOf({ prompts }: SessionRecord): number {
  return prompts.at(-1)?.prompt_number ?? 0;
}

/** Outputs of tools are long, and a summary rarely quotes their middle. */
const TOOL_CHARS = 6_000;

function groundOfSession(db: Db, session: ModelSession, { prompts, notes, repository }: SessionRecord): SessionGround {
  const texts: string[] = [session.project.toLowerCase()];
  const asked: string[] = [];
  const said: string[] = [repository.toLowerCase()];
  const printed: string[] = [];
  const pieces = new Map<string, Piece>();
  const files = { read: new Set<string>(), edited: new Set<string>() };
  for (const { prompt_number: turn } of prompts) {
    const evidence = loadTurnEvidence(db, session.id, turn);
    if (evidence === undefined) continue;
    const ofTurn = piecesOf(evidence);
    asked.push(askedIn(ofTurn));
    const prompt = ofTurn.get(evidence.prompt.id);
    // A decision that cites the prompt may quote any message of its turn.
    if (prompt !== undefined) pieces.set(evidence.prompt.id, { ...prompt, ...saidIn(ofTurn) });
    for (const { text, origin, done } of ofTurn.values()) {
      const shortened = origin === "tool" ? `${text.slice(0, TOOL_CHARS)}\n${text.slice(-TOOL_CHARS)}` : text;
      texts.push(shortened);
      said.push(done);
      if (origin === "tool") printed.push(shortened);
    }
    for (const { path, kind } of evidence.toolUses.flatMap((use) => use.files))
      (kind === "read" ? files.read : files.edited).add(path);
  }
  for (const { title, narrative, facts, origin } of notes) {
    const text = [title, narrative, facts].join("\n").toLowerCase();
    texts.push(text);
    if (origin !== "tool") said.push(text);
  }
  return {
    pieces,
    text: texts.join("\n"),
    asked: asked.join("\n"),
    sources: { own: plainWords(said.join("\n")), printed: plainWords(printed.join("\n")) },
    filesRead: [...files.read].slice(0, MAX_PATHS),
    filesEdited: [...files.edited].slice(0, MAX_PATHS),
  };
}

function saidIn(pieces: ReadonlyMap<string, Piece>): Pick<Piece, "asked" | "said" | "replies"> {
  const all = [...pieces.values()];
  const replies = all.flatMap((piece) => piece.replies);
  return { replies, asked: all.map(({ asked }) => asked).join("\n"), said: all.map(({ said }) => said).join("\n") };
}

const MAX_PATHS = 60;

interface Checked {
  record: SessionRecord;
  checked: CheckedSession;
  ledgerId: number;
  producer: Producer;
  hashes: readonly string[];
}

/** Saves nothing if the session lost a turn during the request, or if its turns were renumbered. */
function saveReply(
  db: Db,
  { id }: ModelSession,
  { record, checked, ledgerId, producer, hashes }: Checked,
  now: number,
): Enriched {
  return transaction(db, () => {
    const session = sessionForModel(db, id);
    const { summary, decisions, tally } = checked;
    for (const hash of hashes) deleteReply(db, hash);
    recordChecks(db, ledgerId, tally);
    const numbers = new Map(promptsOf(db, id).map((prompt) => [prompt.id, prompt.prompt_number]));
    const isSame = record.prompts.every((prompt) => numbers.get(prompt.id) === prompt.prompt_number);
    if (session === undefined || !isSame) return kept("the session changed while the model was working");
    for (const { turn, observation } of decisions) {
      if (hasTombstone(db, { kind: "observation", hash: contentHash(observation) })) continue;
      const key = { sessionDbId: id, promptNumber: turn };
      const prompt = record.prompts.find((one) => one.prompt_number === turn);
      const validFrom = prompt?.ended_at ?? prompt?.created_at ?? session.last_at;
      insertObservation(db, { projectId: session.project_id, turn: key, observation, producer, validFrom }, now);
    }
    saveSessionSummary(db, id, summary, producer, now);
    return { kind: "saved", observations: decisions.length };
  });
}
