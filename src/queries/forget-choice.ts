// Selects what to forget: items by id, or everything that contains a text.
import { nothingFound, usageError } from "../core/error.ts";
import { oneLine } from "../core/text.ts";
import { addToDeletion } from "../upkeep/erase/select-deletion.ts";
import type { TextToForget } from "../upkeep/erase/forget.ts";
import { isInCopies } from "../upkeep/erase/scrub-backups.ts";
import { addEvidence, type DeletionSet, emptyDeletionSet } from "../upkeep/erase/deletion-set.ts";
import { findDerivedRowsContaining, findItemsContaining } from "../upkeep/erase/rows-containing.ts";
import type { QueryContext } from "./query.ts";
import { readScope, type ScopeInput } from "./scope.ts";

export interface Choice {
  selected: DeletionSet;
  words?: TextToForget;
}

/** Shorter texts occur in too many rows. */
const MIN_TEXT_CHARS = 4;

export interface ForgetInput extends ScopeInput {
  /** Also forget the evidence of the observations. */
  evidence?: boolean;
}

export function selectDeletion(context: QueryContext, args: readonly string[], input: ForgetInput): Choice {
  const { db, paths } = context;
  const named = emptyDeletionSet();
  if (args.every((arg) => addToDeletion(db, named, arg))) {
    if (input.evidence) addEvidence(db, named, [...named.observations]);
    return { selected: named };
  }
  const selected = emptyDeletionSet();
  const text = args.join(" ").trim();
  if (text.length < MIN_TEXT_CHARS) {
    throw usageError(
      `"${text}" is too short: forgetting by text needs at least ${MIN_TEXT_CHARS} characters.`,
      "Find the item (c-mem search), then forget it by its id: o78, p12, m34, t56 or a session id.",
    );
  }
  const { scope, where } = readScope(input, context);
  for (const item of findItemsContaining(db, text, scope.projectId)) addToDeletion(db, selected, item);
  const derived = findDerivedRowsContaining(db, text, scope.projectId);
  const words = { text, projectId: scope.projectId };
  const isRecorded = Object.values(selected).some((ids: Set<number>) => ids.size > 0);
  const isDerived = Object.values(derived).some((list: unknown[]) => list.length > 0);
  if (!isRecorded && !isDerived && !isInCopies(db, paths, words)) {
    throw nothingFound(
      `Nothing in ${where} contains "${oneLine(text, 80)}".`,
      `The text must match exactly.${scope.projectId === undefined ? "" : " --all looks in every project."}`,
    );
  }
  return { selected, words };
}
