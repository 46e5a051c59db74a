// The options that say what an observation is, the same for writing one down, changing one and looking for some.
import { AppError } from "../core/error.ts";
import { type Concept, CONCEPTS, OBSERVATION_TYPES, type ObservationType } from "../core/memory.ts";
import { oneLine } from "../core/text.ts";
import { parseObservationId } from "../store/reads/items.ts";

export function observationId(text: string): number {
  const id = parseObservationId(text.trim());
  if (id !== undefined) return id;
  throw new AppError("usage", `"${oneLine(text, 60)}" is not the id of an observation.`, {
    hint: "They look like o78; `c-mem observations` shows them.",
  });
}

export function readType(flag: unknown): ObservationType | undefined {
  if (flag === undefined) return undefined;
  const type = OBSERVATION_TYPES.find((one) => one === flag);
  if (type !== undefined) return type;
  throw new AppError("usage", `There is no type "${String(flag)}".`, {
    hint: `One of: ${OBSERVATION_TYPES.join(", ")}`,
  });
}

/** One or several, with commas between. */
export function readConcepts(flag: unknown): Concept[] | undefined {
  return readNames(flag)?.map((name) => {
    const concept = CONCEPTS.find((one) => one === name);
    if (concept !== undefined) return concept;
    throw new AppError("usage", `There is no concept "${name}".`, { hint: `Some of: ${CONCEPTS.join(", ")}` });
  });
}

/** A text with commas between, or a list, whose names may have commas in them. */
export function readNames(flag: unknown): string[] | undefined {
  if (flag === undefined) return undefined;
  const names: string[] = Array.isArray(flag) ? flag.map(String) : String(flag).split(",");
  return names.map((name) => name.trim()).filter((name) => name !== "");
}
