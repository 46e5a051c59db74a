// Ids and model names come from outside and are stored as they are: only what looks like one is admitted.
import type { TranscriptFile } from "../../agents/transcript.ts";
import { sha256 } from "../../platform/crypto.ts";
import type { Activity, AgentEvent } from "../../core/event.ts";
import { filterText } from "../../core/privacy/filter.ts";

/** The longest real ones, of tool calls that carry a signature, have some 100 characters. */
const ID = /^[\w.:@+=~/#,|()-]{1,160}$/;
/** `claude-opus-4-1[1m]`, `GPT-5 (high)`, `us.anthropic.claude-sonnet-4:0`. */
const NAME = /^[\w.:@+~/#,|()[\]<> -]{1,120}$/;
const HASH_CHARS = 32;

/** The id itself or, where it does not look like one or looks like a secret, a hash of it: always the same one. */
export function storedId(id: string): string {
  return isAdmitted(id, ID) ? id : hashed(id);
}

/** The same for the name of a model or an agent, which may have spaces and brackets. */
export function storedName(name: string): string {
  return isAdmitted(name, NAME) ? name : hashed(name);
}

function isAdmitted(text: string, form: RegExp): boolean {
  return text === "" || (form.test(text) && filterText(text) === text);
}

function hashed(text: string): string {
  return `id-${sha256(text).slice(0, HASH_CHARS)}`;
}

/** A transcript whose session is known by the id that its events are stored under: names of files are ids, too. */
export function admitFile(file: TranscriptFile): TranscriptFile {
  return { ...file, sessionId: storedId(file.sessionId) };
}

/** The event with every id and name in it as it may be stored. */
export function admitIds<E extends AgentEvent>(event: E): E {
  const { agent, sessionId, agentId, version, copiedFrom, activity } = event;
  return {
    ...event,
    agent: storedName(agent),
    sessionId: storedId(sessionId),
    ...(agentId !== undefined && { agentId: storedId(agentId) }),
    ...(version !== undefined && { version: storedName(version) }),
    ...(copiedFrom !== undefined && { copiedFrom: storedId(copiedFrom) }),
    activity: admitActivity(activity),
  };
}

const ID_FIELDS = ["promptId", "toolUseId", "uuid", "parentUuid", "forkedFrom"] as const;

function admitActivity(activity: Activity): Activity {
  const admitted: Record<string, unknown> = { ...activity };
  for (const field of ID_FIELDS) {
    const id = admitted[field];
    if (typeof id === "string") admitted[field] = storedId(id);
  }
  if (typeof admitted["model"] === "string") admitted["model"] = storedName(admitted["model"]);
  return admitted as Activity;
}
