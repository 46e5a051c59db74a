// Builds an observation; facts, files and subject are optional.
import type { Observation } from "../../core/memory.ts";

type Fields = Pick<Observation, "type" | "title" | "narrative" | "concepts" | "evidence" | "origin"> & {
  facts?: string[];
  files?: string[];
  subject?: string | undefined;
};

export function newObservation({ subject, ...fields }: Fields): Observation {
  return { facts: [], files: [], ...fields, ...(subject !== undefined && { subject }) };
}
