// What a process that stays need not ask the database for again.
import type { Db } from "./driver.ts";
import { writeVersion } from "./version.ts";

const MAX_KEPT = 100;
const answers = new WeakMap<Db, { version: string; of: Map<string, unknown> }>();

/** The answer to a question, asked again only when the database has been written to. */
export function remembered<T>(db: Db, question: string, ask: () => T): T {
  const version = writeVersion(db);
  let known = answers.get(db);
  if (known?.version !== version || known.of.size >= MAX_KEPT) answers.set(db, (known = { version, of: new Map() }));
  if (!known.of.has(question)) known.of.set(question, ask());
  return known.of.get(question) as T;
}
