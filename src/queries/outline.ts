// A session for somebody who scrolls through it: what stands where, the texts of a few items, where some words are.
import { oneLine } from "../core/text.ts";
import { AppError } from "../core/error.ts";
import { findInSession, outlineSession, readItemsById } from "../recall/history/session-items.ts";
import type { Asked } from "./legacy.ts";
import type { Answer } from "./envelope.ts";
import { pageItemJson, sessionOf } from "./session.ts";

const NAME_CHARS = 120;

/** One small array per item, because there may be twenty thousand. */
export function answerOutline(asked: Asked, name: string): Answer {
  const session = sessionOf(asked, name);
  const results = outlineSession(asked.db, session).map((entry) => [
    entry.item,
    entry.kind,
    entry.prompt_number,
    entry.at,
    entry.is_error,
    entry.bytes ?? 0,
    entry.name === null ? null : oneLine(entry.name, NAME_CHARS),
    ...(entry.agent === undefined ? [] : [entry.agent]),
  ]);
  return { data: { session_id: session.session_id, results } };
}

const MAX_ITEMS = 200;

/** Without `whole`, what went into tools and what came out is left out. */
export function answerItems(asked: Asked, name: string, ids: string): Answer {
  const names = ids.split(",").filter(Boolean);
  if (names.length > MAX_ITEMS) throw new AppError("usage", `At most ${MAX_ITEMS} items at a time.`);
  const session = sessionOf(asked, name);
  const detail = { tools: asked.flags["whole"] === true, thinking: true };
  const results = [...readItemsById(asked.db, session, names)].map(([id, item]) => ({
    ...pageItemJson(item, detail),
    id,
  }));
  return { data: { session_id: session.session_id, results } };
}

const MAX_FOUND = 1_000;

export function answerFind(asked: Asked, name: string, words: string): Answer {
  const session = sessionOf(asked, name);
  const found = words.trim() === "" ? [] : findInSession(asked.db, session, words.trim());
  return {
    data: { session_id: session.session_id, results: found.slice(0, MAX_FOUND) },
    meta: { total: found.length },
  };
}
