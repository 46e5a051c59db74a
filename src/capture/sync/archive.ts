// Keeps compressed copies of transcripts, because agents delete old ones. Copies contain nothing private: every line is
// filtered, lines from excluded folders are left out, and a copy ends at the first wholly private prompt, because later
// lines (results, summaries, titles) may repeat that prompt.
import { readFileSync } from "node:fs";
import type { DocumentReader, LineReader, TranscriptFile } from "../../agents/transcript.ts";
import { turnOf } from "../../agents/turn.ts";
import type { AgentEvent } from "../../core/event.ts";
import { asObject, parseJson } from "../../core/json.ts";
import { isSkippedTool } from "../../core/own-tools.ts";
import { filterText, filterValue } from "../../core/privacy/filter.ts";
import { isWhollyPrivate } from "../../core/privacy/private-tags.ts";
import { storedId } from "../live/ids.ts";
import { appendToCopy, type Copy, readCopy, saveCopy } from "./archive-copies.ts";
import { addPrivateIds, fingerprint, isStorable, STATE_VERSION } from "./checkpoint.ts";
import { readLines } from "./lines.ts";
import {
  contextOf,
  isExcludedFile,
  isInCopiedPart,
  isLeftOut,
  isFolderRefused,
  isSkipped,
  MAX_LINE_BYTES,
  type Transcript,
} from "./read-transcript.ts";
import type { SyncContext } from "./sync.ts";

/** Characters per compressed piece. */
const PIECE_CHARS = 8 * 1024 * 1024;

export interface ArchiveContext extends SyncContext {
  /** True if a part of the session was forgotten: forks are archived without the text they copied from it. */
  isForgotten(sessionId: string): boolean;
}

/** A copy whose text was written; call `saveCopy` to sync it and write its description. */
export interface Archived {
  copy: Copy;
  isChanged: boolean;
}

/** Returns undefined if there is nothing to save. */
export async function archiveTranscript(
  { file, reader }: Transcript,
  context: ArchiveContext,
): Promise<Archived | undefined> {
  if (isExcludedFile(file, context)) return undefined;
  const known = readCopy(context.archive, file);
  const isSame = known?.file.bytes === file.bytes && known.file.modifiedAt === file.modifiedAt;
  if (isSame && !context.force) return undefined;
  return reader.kind === "lines"
    ? await archiveLines(reader, file, known, context)
    : archiveDocument(reader, file, known, context);
}

async function archiveLines(
  reader: LineReader<unknown>,
  file: TranscriptFile,
  known: Copy | undefined,
  context: ArchiveContext,
): Promise<Archived | undefined> {
  const copy = (context.force ? undefined : continueCopy(known, file)) ?? startCopy(file, reader.start(file));
  if (copy.isEnded) return undefined;
  const { archive } = context;
  const before = { ...copy };
  // The old copy will be overwritten: replace its description first.
  if (copy.copied === 0 && known !== undefined) await saveCopy(archive, { ...copy, state: null });
  addPrivateIds(copy.state, context.privateIds);
  let piece: string[] = [];
  let chars = 0;
  const flush = (): void => {
    if (piece.length > 0) copy.copied = appendToCopy(archive, file, copy.copied, `${piece.join("\n")}\n`);
    [piece, chars] = [[], 0];
  };
  const folder: FolderCheck = { isAllowed: copy.offset > 0 };
  let tail: string | undefined;
  for (const line of readLines(file.path, { from: copy.offset, maxLineBytes: MAX_LINE_BYTES })) {
    // A last line without a newline may be incomplete: it is read with a copy of the state, and again by the next run.
    const state: unknown = line.isWhole ? copy.state : structuredClone(copy.state);
    const text = filterLine(reader, state, line.bytes, folder, context);
    if (folder.isLeftOut) return undefined;
    if (text !== undefined) noteCopiedFrom(copy, state);
    copy.isEnded = isPrivate(state);
    if (copy.isEnded) break;
    if (!line.isWhole) {
      tail = text;
      continue;
    }
    copy.offset = line.end;
    if (text !== undefined) piece.push(text);
    chars += text?.length ?? 0;
    // Until the folder is known, nothing is written: the folder may be excluded.
    if (chars >= PIECE_CHARS && folder.isAllowed) flush();
  }
  if (!folder.isAllowed) return undefined;
  flush();
  copy.withTail = tail === undefined ? copy.copied : appendToCopy(archive, file, copy.copied, `${tail}\n`);
  copy.fingerprint = fingerprint(file.path, copy.offset);
  const agentType = turnOf(copy.state)?.header.agentType;
  if (agentType !== undefined) copy.agentType = filterText(agentType);
  const isSecret = isInCopiedPart(copy.state) || isFolderRefused(copy.state, context);
  if (isSecret || !isStorable(copy.state, JSON.stringify(copy.state))) copy.state = null;
  return { copy, isChanged: copy.copied !== before.copied || copy.withTail !== before.withTail };
}

function startCopy(file: TranscriptFile, state: unknown): Copy {
  const nothing = { offset: 0, fingerprint: "", copied: 0, withTail: 0, isEnded: false, copiedFrom: [] };
  return { version: STATE_VERSION, file, kind: "lines", ...nothing, state };
}

/** Returns the existing copy if the transcript has only grown since, else undefined. */
function continueCopy(known: Copy | undefined, file: TranscriptFile): Copy | undefined {
  if (known === undefined || known.version !== STATE_VERSION || file.bytes < known.offset) return undefined;
  if (known.state === null && !known.isEnded) return undefined;
  return fingerprint(file.path, known.offset) === known.fingerprint ? { ...known, file } : undefined;
}

/** Notes the original session of a fork: if that session is forgotten, this copy must be deleted, too. */
function noteCopiedFrom(copy: Copy, state: unknown): void {
  const from = copiedFromOf(state);
  if (from !== undefined && !copy.copiedFrom?.includes(from)) copy.copiedFrom = [...(copy.copiedFrom ?? []), from];
}

function copiedFromOf(state: unknown): string | undefined {
  const from = turnOf(state)?.header.copiedFrom;
  return from === undefined ? undefined : storedId(from);
}

interface FolderCheck {
  /** True once the folder in which the session began is known and may be archived. */
  isAllowed: boolean;
  /** True if that folder is excluded or in another project than the one to read. */
  isLeftOut?: boolean;
}

/** Returns the text to archive for the line, or undefined to leave the line out. */
function filterLine(
  reader: LineReader<unknown>,
  state: unknown,
  bytes: Buffer | undefined,
  folder: FolderCheck,
  context: ArchiveContext,
): string | undefined {
  if (bytes === undefined || bytes.length === 0 || isSkipped(reader, bytes)) return undefined;
  const value = parseJson(bytes.toString());
  if (value === undefined) return undefined;
  const events = reader.read(state, value, { unknown: {} });
  const cwd = turnOf(state)?.header.cwd ?? "";
  const found = cwd === "" ? undefined : contextOf(cwd, context);
  if (found !== undefined && !folder.isAllowed) {
    folder.isLeftOut = isLeftOut(found, context);
    folder.isAllowed = !folder.isLeftOut;
  }
  const copiedFrom = copiedFromOf(state);
  if (found?.isExcluded || (copiedFrom !== undefined && context.isForgotten(copiedFrom))) return undefined;
  return filterJson(value, events, found?.settings.skipTools ?? []);
}

/** Undefined if an event is a use of a tool in `skipTools`; else the filtered value, without inputs of such tools. */
function filterJson(value: unknown, events: readonly AgentEvent[], skipTools: readonly string[]): string | undefined {
  const isSkippedUse = ({ activity }: AgentEvent) =>
    activity.kind === "tool-use" && isSkippedTool(activity.name, skipTools);
  if (events.some(isSkippedUse)) return undefined;
  return JSON.stringify(filterValue(value), (_, inner: unknown) => withoutInput(inner, skipTools));
}

const NAMES = ["name", "toolName", "tool_name"];
const INPUTS = new Set(["input", "arguments", "args"]);

function withoutInput(value: unknown, skipTools: readonly string[]): unknown {
  const object = asObject(value);
  if (object === undefined) return value;
  if (!NAMES.some((name) => typeof object[name] === "string" && isSkippedTool(object[name], skipTools))) return value;
  return Object.fromEntries(Object.entries(object).filter(([key]) => !INPUTS.has(key)));
}

function isPrivate(state: unknown): boolean {
  const turn = turnOf(state);
  return turn?.isPrivate === true || turn?.wasPrivate === true;
}

/** Agents rewrite a document as a whole, so it is copied as a whole, unless it has a wholly private prompt. */
function archiveDocument(
  reader: DocumentReader,
  file: TranscriptFile,
  known: Copy | undefined,
  context: ArchiveContext,
): Archived | undefined {
  if (reader.isSpread) return undefined;
  const [first] = reader.read(file, { unknown: {} });
  const found = first === undefined ? undefined : contextOf(first.cwd, context);
  if (found === undefined || isLeftOut(found, context)) return undefined;
  const values = parseDocument(readFileSync(file.path, "utf8"));
  if (hasPrivate(values)) return undefined;
  const text = values.map((value) => filterJson(value, [], found.settings.skipTools)).join("\n");
  const copied = appendToCopy(context.archive, file, 0, `${text}\n`);
  const copy: Copy = { ...startCopy(file, null), kind: "document", copied, withTail: copied };
  return { copy, isChanged: known?.copied !== copied };
}

/** The text is one JSON value, or one per line. */
function parseDocument(text: string): unknown[] {
  const whole = parseJson(text);
  if (whole !== undefined) return [whole];
  return text.split("\n").flatMap((line) => parseJson(line) ?? []);
}

function hasPrivate(value: unknown): boolean {
  if (typeof value === "string") return isWhollyPrivate(value);
  return typeof value === "object" && value !== null && Object.values(value).some(hasPrivate);
}
