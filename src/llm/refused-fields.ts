// Servers and models differ in what they take. A field one refuses is left out from then on, instead of a table of who takes what.
import { LlmError } from "./error.ts";

export interface OptionalField {
  name: string;
  /** Finds the field in what the server says when it refuses it. */
  pattern: RegExp;
}

/** Sends until nothing is refused; a refusal costs nothing. `known` grows by what had to go for the server to answer. */
export async function sendWithout<T>(
  fields: readonly OptionalField[],
  known: Set<string>,
  send: (refused: ReadonlySet<string>) => Promise<T>,
): Promise<T> {
  const refused = new Set(known);
  for (;;) {
    try {
      const reply = await send(refused);
      for (const name of refused) known.add(name);
      return reply;
    } catch (error) {
      if (!(error instanceof LlmError) || error.kind !== "rejected") throw error;
      const field = fields.find(({ name, pattern }) => !refused.has(name) && pattern.test(error.message));
      if (field === undefined) throw error;
      refused.add(field.name);
    }
  }
}
