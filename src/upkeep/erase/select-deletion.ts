// What is to be forgotten, by the ids people and agents pass on.
import { AppError } from "../../core/error.ts";
import type { DeletionSet } from "./deletion-set.ts";
import type { Db } from "../../store/db/driver.ts";
import { findItem, parseItemId, parseObservationId } from "../../store/reads/items.ts";
import { getObservation } from "../../store/tables/observations.ts";
import { sessionsByPrefix } from "../../store/reads/session-list.ts";

/** True if it is an id, or the beginning of one; one of something that is not there is a mistake, not words. */
export function addToDeletion(db: Db, doomed: DeletionSet, name: string): boolean {
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

function addSession(db: Db, doomed: DeletionSet, name: string): boolean {
  const found = sessionsByPrefix(db, name).filter((one) => one.session_id === name || LIKE_AN_ID.test(name));
  if (found.length > 1) {
    throw new AppError("usage", `More than one session begins with "${name}".`, {
      hint: "Give a few more characters of the id.",
    });
  }
  for (const { id } of found) doomed.sessions.add(id);
  return found.length === 1;
}
