// Brings transcripts into the store: the same events as the hooks', so what both saw is one row.
import type { TranscriptFile } from "../agents/claude-code/discover.ts";
import {
  endTranscript,
  readTranscriptLine,
  startTranscript,
  type TranscriptState,
} from "../agents/claude-code/transcript.ts";
import { type LoadedSettings, loadSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import type { AgentEvent } from "../core/event.ts";
import type { Db } from "../store/driver.ts";
import { transaction } from "../store/transaction.ts";
import { applyEvent } from "./apply.ts";
import { captureEvent } from "./capture.ts";
import { readLines } from "./lines.ts";
import { findPlace, isExcluded, type Place } from "./project.ts";

/** A longer line is skipped and counted: no prompt or answer is that long, and memory is finite. */
const MAX_LINE_BYTES = 64 * 1024 * 1024;

export interface FileResult {
  path: string;
  events: number;
  /** Lines that are not JSON, or too long, by number. */
  malformed: number[];
}

/** What one run knows: folders are looked up once, private prompts are remembered across a session's files. */
export interface SyncContext {
  paths: Paths;
  env: Env;
  places: Map<string, { place: Place; settings: LoadedSettings }>;
  privatePromptIds: Set<string>;
}

export function startSync(paths: Paths, env: Env): SyncContext {
  return { paths, env, places: new Map(), privatePromptIds: new Set() };
}

/** One transaction per file: a session is there as a whole or not at all. */
export function syncFile(db: Db, file: TranscriptFile, context: SyncContext): FileResult {
  return transaction(db, () => {
    const state = startTranscript(file.sessionId, file.path, context.privatePromptIds);
    const result: FileResult = { path: file.path, events: 0, malformed: [] };
    const store = (events: AgentEvent[]) => {
      for (const event of events) if (storeEvent(db, event, context)) result.events += 1;
    };
    for (const line of readLines(file.path, MAX_LINE_BYTES)) {
      const value = parseLine(line.bytes);
      if (value !== undefined) store(readSafely(state, value));
      // A last line without its newline is still being written.
      else if (line.isWhole) result.malformed.push(line.number);
    }
    store(endTranscript(state));
    return result;
  });
}

function readSafely(state: TranscriptState, value: unknown): AgentEvent[] {
  return readTranscriptLine(state, value).filter((event) => event.at > 0 && event.cwd !== "");
}

function parseLine(bytes: Buffer | undefined): unknown {
  if (bytes === undefined) return undefined;
  if (bytes.length === 0) return null;
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return undefined;
  }
}

function storeEvent(db: Db, event: AgentEvent, context: SyncContext): boolean {
  const { place, settings } = lookUp(event.cwd, context);
  if (isExcluded(place, settings.values)) return false;
  const captured = captureEvent(event, place, settings);
  if (captured === undefined) return false;
  applyEvent(db, captured, `${event.sessionId}:${event.at}`);
  return true;
}

function lookUp(cwd: string, context: SyncContext): { place: Place; settings: LoadedSettings } {
  const known = context.places.get(cwd);
  if (known !== undefined) return known;
  const place = findPlace(cwd);
  const settings = loadSettings({ user: context.paths.config, project: place.projectFiles }, context.env);
  const found = { place, settings };
  context.places.set(cwd, found);
  return found;
}
