// Keeps compressed copies of transcripts, for when their agent has deleted them. Nothing private goes into a copy: every
// line is filtered like evidence, lines from excluded folders are left out, and a copy ends where the first wholly
// private prompt comes. What follows it (late results, summaries, titles) may tell of it, line by line nobody can say.
import { readFileSync } from "node:fs";
import type { DocumentReader, LineReader, TranscriptFile } from "../../agents/transcript.ts";
import { turnOf } from "../../agents/turn.ts";
import type { AgentEvent } from "../../core/event.ts";
import { filterText, filterValue } from "../../core/privacy/filter.ts";
import { isUnrecorded } from "../../core/own-tools.ts";
import { isWhollyPrivate } from "../../core/privacy/private-tags.ts";
import type { ArchiveBatch } from "./archive-batch.ts";
import { addPrivateIds, isStorable, STATE_VERSION } from "./checkpoint.ts";
import { appendToCopy, type Copy, readCopy, saveCopy } from "./archive-copies.ts";
import { fingerprint } from "./fingerprint.ts";
import { storedId } from "../live/ids.ts";
import { readLines } from "./lines.ts";
import {
  isExcludedFile,
  isInCopy,
  isOtherProject,
  isOutside,
  isSkipped,
  lookUp,
  MAX_LINE_BYTES,
  parseLine,
  type Transcript,
} from "./read-transcript.ts";
import type { SyncContext } from "./sync.ts";

/** Text per compressed piece. */
const PIECE_CHARS = 8 * 1024 * 1024;

export interface ArchiveContext extends SyncContext {
  /** Something of the session was: what others have copied of it is left out. */
  isForgotten(sessionId: string): boolean;
}

/** True if something was added to the archive; it counts once the batch is settled. */
export async function archiveTranscript(
  { file, reader }: Transcript,
  context: ArchiveContext,
  batch: ArchiveBatch,
): Promise<boolean> {
  if (isExcludedFile(file, context)) return false;
  const known = readCopy(context.archive, file);
  const isSame = known?.file.bytes === file.bytes && known.file.modifiedAt === file.modifiedAt;
  if (isSame && !context.force) return false;
  return reader.kind === "lines"
    ? await archiveLines(reader, file, known, { ...context, batch })
    : archiveDocument(reader, file, known, { ...context, batch });
}

type Archiving = ArchiveContext & { batch: ArchiveBatch };

async function archiveLines(
  reader: LineReader<unknown>,
  file: TranscriptFile,
  known: Copy | undefined,
  context: Archiving,
): Promise<boolean> {
  const copy = (context.force ? undefined : goOn(known, file)) ?? startCopy(file, reader.start(file));
  if (copy.isEnded) return false;
  const { archive } = context;
  const before = copy.copied;
  const beforeTail = copy.withTail;
  // The old copy is overwritten: until the new one is whole, there is none.
  if (before === 0 && known !== undefined) await saveCopy(archive, { ...copy, state: null });
  addPrivateIds(copy.state, context.privateIds);
  let piece: string[] = [];
  let chars = 0;
  const flush = (): void => {
    if (piece.length > 0) copy.copied = appendToCopy(archive, file, copy.copied, `${piece.join("\n")}\n`);
    [piece, chars] = [[], 0];
  };
  const place: Placing = { isPlaced: copy.offset > 0 };
  let tail: string | undefined;
  for (const line of readLines(file.path, { from: copy.offset, maxLineBytes: MAX_LINE_BYTES })) {
    // A last line that is still being written is copied too, if it reads; the next run begins before it.
    const state: unknown = line.isWhole ? copy.state : structuredClone(copy.state);
    const kept = keptLine(reader, state, line.bytes, place, context);
    if (place.isElsewhere) return false;
    if (kept !== undefined) noteCopied(copy, state);
    copy.isEnded = isPrivate(state);
    if (copy.isEnded) break;
    if (!line.isWhole) tail = kept;
    else if (kept !== undefined) chars += piece.push(kept) && kept.length;
    if (line.isWhole) copy.offset = line.end;
    // What nobody has said the place of yet waits: it may be excluded.
    if (chars >= PIECE_CHARS && place.isPlaced) flush();
  }
  if (!place.isPlaced) return false;
  flush();
  copy.withTail = tail === undefined ? copy.copied : appendToCopy(archive, file, copy.copied, `${tail}\n`);
  copy.fingerprint = copy.offset === 0 ? "" : fingerprint(file.path, copy.offset);
  const agentType = turnOf(copy.state)?.header.agentType;
  if (agentType !== undefined) copy.agentType = filterText(agentType);
  const isSecret = isInCopy(copy.state) || isOutside(copy.state, context);
  if (isSecret || !isStorable(copy.state, JSON.stringify(copy.state))) copy.state = null;
  context.batch.add(copy);
  return copy.copied !== before || copy.withTail !== beforeTail;
}

function startCopy(file: TranscriptFile, state: unknown): Copy {
  const nothing = { offset: 0, fingerprint: "", copied: 0, withTail: 0, isEnded: false, copiedFrom: [] };
  return { version: STATE_VERSION, file, kind: "lines", ...nothing, state };
}

/** The copy there is, if the transcript has only grown since. */
function goOn(known: Copy | undefined, file: TranscriptFile): Copy | undefined {
  if (known === undefined || known.version !== STATE_VERSION || file.bytes < known.offset) return undefined;
  if (known.state === null && !known.isEnded) return undefined;
  const isSame = known.offset === 0 || fingerprint(file.path, known.offset) === known.fingerprint;
  return isSame ? { ...known, file } : undefined;
}

/** Should that session be forgotten, this copy has to go as well. */
function noteCopied(copy: Copy, state: unknown): void {
  const from = copiedFromOf(state);
  if (from !== undefined && !copy.copiedFrom?.includes(from)) copy.copiedFrom = [...(copy.copiedFrom ?? []), from];
}

function copiedFromOf(state: unknown): string | undefined {
  const from = turnOf(state)?.header.copiedFrom;
  return from === undefined ? undefined : storedId(from);
}

interface Placing {
  /** It is known where this happened, and that it may be kept. */
  isPlaced: boolean;
  /** Excluded, or not what was asked for. */
  isElsewhere?: boolean;
}

function keptLine(
  reader: LineReader<unknown>,
  state: unknown,
  bytes: Buffer | undefined,
  place: Placing,
  context: ArchiveContext,
): string | undefined {
  if (bytes === undefined || bytes.length === 0 || isSkipped(reader, bytes)) return undefined;
  const value = parseLine(bytes);
  if (value === undefined) return undefined;
  const events = reader.read(state, value, { unknown: {} });
  const cwd = turnOf(state)?.header.cwd ?? "";
  const surroundings = cwd === "" ? undefined : lookUp(cwd, context);
  if (surroundings !== undefined && !place.isPlaced) {
    place.isElsewhere = surroundings.isExcluded || isOtherProject(surroundings, context);
    place.isPlaced = !place.isElsewhere;
  }
  const copiedFrom = copiedFromOf(state);
  if (surroundings?.isExcluded || (copiedFrom !== undefined && context.isForgotten(copiedFrom))) return undefined;
  return keptText(value, events, surroundings?.settings.skipTools ?? []);
}

/** Whatever a skipped tool was given and gave is left out. */
function keptText(value: unknown, events: readonly AgentEvent[], skipTools: readonly string[]): string | undefined {
  const isSkippedUse = ({ activity }: AgentEvent) =>
    activity.kind === "tool-use" && isUnrecorded(activity.name, skipTools);
  if (events.some(isSkippedUse)) return undefined;
  return JSON.stringify(filterValue(value), (_, inner: unknown) => withoutInput(inner, skipTools));
}

const NAMES = ["name", "toolName", "tool_name"];
const INPUTS = new Set(["input", "arguments", "args"]);

function withoutInput(value: unknown, skipTools: readonly string[]): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  const object = value as Record<string, unknown>;
  if (!NAMES.some((name) => typeof object[name] === "string" && isUnrecorded(object[name], skipTools))) return value;
  return Object.fromEntries(Object.entries(object).filter(([key]) => !INPUTS.has(key)));
}

function isPrivate(state: unknown): boolean {
  const turn = turnOf(state);
  return turn?.isPrivate === true || turn?.wasPrivate === true;
}

/** Written anew as a whole, so copied as a whole; with a wholly private prompt in it, not at all. */
function archiveDocument(
  reader: DocumentReader,
  file: TranscriptFile,
  known: Copy | undefined,
  context: Archiving,
): boolean {
  if (reader.isSpread) return false;
  const [first] = reader.read(file, { unknown: {} });
  const surroundings = first === undefined ? undefined : lookUp(first.cwd, context);
  if (surroundings === undefined || surroundings.isExcluded || isOtherProject(surroundings, context)) return false;
  const values = parseDocument(readFileSync(file.path));
  if (hasPrivate(values)) return false;
  const text = values.map((value) => keptText(value, [], surroundings.settings.skipTools)).join("\n");
  const copied = appendToCopy(context.archive, file, 0, `${text}\n`);
  context.batch.add({ ...startCopy(file, null), kind: "document", copied, withTail: copied });
  return known === undefined || known.copied !== copied;
}

/** One JSON value, or one a line. */
function parseDocument(bytes: Buffer): unknown[] {
  const whole = parseLine(bytes);
  if (whole !== undefined) return [whole];
  const lines = bytes.toString("utf8").split("\n");
  return lines.map((line) => parseLine(Buffer.from(line))).filter((value) => value !== undefined);
}

function hasPrivate(value: unknown): boolean {
  if (typeof value === "string") return isWhollyPrivate(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasPrivate);
}
