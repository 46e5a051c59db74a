// Ids and names of models and agents are stored unchanged, because they are compared. A value that does not look like
// one, or that the secrets filter would change, is hashed.
import type { TranscriptFile } from "../../agents/transcript.ts";
import type { Activity, AgentEvent } from "../../core/event.ts";
import { filterText } from "../../core/privacy/filter.ts";
import { sha256 } from "../../platform/crypto.ts";

/** The longest known ids are those of tool calls with a signature, about 100 characters. */
const ID = /^[\w.:@+=~/#,|()-]{1,160}$/;
/** `claude-opus-4-1[1m]`, `GPT-5 (high)`, `us.anthropic.claude-sonnet-4:0`. */
const NAME = /^[\w.:@+~/#,|()[\]<> -]{1,120}$/;
const HASH_CHARS = 32;

export function storedId(id: string): string {
  return isAdmitted(id, ID) ? id : hashed(id);
}

/** Like `storedId`, for model and agent names, which may have spaces and brackets. */
export function storedName(name: string): string {
  return isAdmitted(name, NAME) ? name : hashed(name);
}

function isAdmitted(text: string, form: RegExp): boolean {
  return text === "" || (form.test(text) && filterText(text) === text);
}

function hashed(text: string): string {
  return `id-${sha256(text).slice(0, HASH_CHARS)}`;
}

/** The session id comes from the file's name, so it is checked like the ids in the file. */
export function admitFile(file: TranscriptFile): TranscriptFile {
  return { ...file, sessionId: storedId(file.sessionId) };
}

const EVENT_IDS = ["sessionId", "agentId", "copiedFrom"];
const EVENT_NAMES = ["agent", "version"];
const ACTIVITY_IDS = ["promptId", "toolUseId", "uuid", "parentUuid", "forkedFrom"];

/** Replaces every id and name of the event by its stored form. */
export function admitIds<E extends AgentEvent>(event: E): E {
  const activity = admitFields(event.activity, ACTIVITY_IDS, ["model"]) as Activity;
  return { ...admitFields(event, EVENT_IDS, EVENT_NAMES), activity };
}

function admitFields<T extends object>(value: T, ids: readonly string[], names: readonly string[]): T {
  const admitted = { ...value } as Record<string, unknown>;
  for (const field of ids) if (typeof admitted[field] === "string") admitted[field] = storedId(admitted[field]);
  for (const field of names) if (typeof admitted[field] === "string") admitted[field] = storedName(admitted[field]);
  return admitted as T;
}
