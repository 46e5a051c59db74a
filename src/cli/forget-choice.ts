// What somebody wants forgotten: by ids, or everything that says certain words.
import type { Paths } from "../config/paths.ts";
import { AppError } from "../core/error.ts";
import { oneLine } from "../core/text.ts";
import type { Words } from "../memory/forget.ts";
import { addEvidence, type Doomed, nothingDoomed } from "../store/doomed.ts";
import type { Db } from "../store/driver.ts";
import { asidesHolding, itemsHolding } from "../store/holding.ts";
import { findItem, parseItemId, parseObservationId } from "../store/items.ts";
import { getObservation } from "../store/observations.ts";
import { sessionsByPrefix } from "../store/session-list.ts";
import { readScope } from "./scope.ts";

export interface Choice {
  doomed: Doomed;
  words?: Words;
}

/** A word of two letters is in everything. */
const MIN_WORDS_CHARS = 4;

export function chooseDoomed(db: Db, args: readonly string[], flags: Record<string, unknown>, paths: Paths): Choice {
  const named = nothingDoomed();
  if (args.every((arg) => addById(db, named, arg))) {
    if (flags["evidence"] === true) addEvidence(db, named, [...named.observations]);
    return { doomed: named };
  }
  const doomed = nothingDoomed();
  const text = args.join(" ").trim();
  if (text.length < MIN_WORDS_CHARS) {
    throw new AppError("usage", `"${text}" is too little to forget things by.`, {
      hint: "Ids look like o78, p12, m34, t56, or are a session's; words are looked for as they are.",
    });
  }
  const { scope, where } = readScope(db, flags, { paths, env: process.env, cwd: process.cwd(), limit: 1 });
  for (const item of itemsHolding(db, text, scope.projectId)) addById(db, doomed, item);
  const asides = asidesHolding(db, text, scope.projectId);
  const isSaid = Object.values(doomed).some((ids: Set<number>) => ids.size > 0);
  if (!isSaid && Object.values(asides).every((list: unknown[]) => list.length === 0)) {
    throw new AppError("nothing_found", `Nothing in ${where} says "${oneLine(text, 80)}".`, {
      hint: "The words are looked for just as they stand, in this order. --all looks in every project.",
    });
  }
  return { doomed, words: { text, projectId: scope.projectId } };
}

/** True if it is an id, or the beginning of one; one of something that is not there is a mistake, not words. */
function addById(db: Db, doomed: Doomed, name: string): boolean {
  const observation = parseObservationId(name);
  const item = parseItemId(name);
  if (observation === undefined && item === undefined) return addSession(db, doomed, name);
  const isThere =
    observation === undefined ? findItem(db, name) !== undefined : getObservation(db, observation) !== undefined;
  if (!isThere)
    throw new AppError("nothing_found", `There is no ${name}.`, {
      hint: "`c-mem show` and `c-mem observations` print ids.",
    });
  if (observation !== undefined) doomed.observations.add(observation);
  if (item?.kind === "p") doomed.prompts.add(item.id);
  if (item?.kind === "m") doomed.messages.add(item.id);
  if (item?.kind === "t") doomed.toolUses.add(item.id);
  return true;
}

/** What a person means by a few letters is rather a word: as the beginning of an id it has to look like one. */
const LIKE_AN_ID = /^(?=.*\d)[\w-]{6,}$/;

function addSession(db: Db, doomed: Doomed, name: string): boolean {
  const found = sessionsByPrefix(db, name).filter((one) => one.session_id === name || LIKE_AN_ID.test(name));
  if (found.length > 1) {
    throw new AppError("usage", `More than one session begins with "${name}".`, {
      hint: "Give a few more characters of the id.",
    });
  }
  for (const { id } of found) doomed.sessions.add(id);
  return found.length === 1;
}
