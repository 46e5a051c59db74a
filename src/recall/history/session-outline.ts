// A whole session without its texts: what stands where, the work of subagents under each of them. What reads a long session page by
// page, finds words in it or replays it goes by this.
import type { Db } from "../../store/db/driver.ts";
import type { SessionEntry } from "../../store/reads/session-list.ts";
import { type EntryRow, itemsWith, ownRows, transcriptEntries } from "../../store/reads/transcript-rows.ts";
import { keyOf, type PageItem, readItems } from "./transcript-page.ts";

export interface OutlineEntry extends EntryRow {
  /** "p12", "m34", "t56" as everywhere; "r12" a response by its prompt, "s12" a subagent, "c12" a commit. */
  item: string;
  /** The subagent ("s12") it happened in. */
  agent?: string;
}

export function outlineSession(db: Db, session: SessionEntry): OutlineEntry[] {
  return transcriptEntries(db, session.id).flatMap((row) => {
    const entry = { ...row, item: itemOf(row) };
    if (row.kind !== "subagent") return [entry];
    const inside = transcriptEntries(db, row.id).map((inner) => ({
      ...inner,
      prompt_number: row.prompt_number,
      item: itemOf(inner),
      agent: entry.item,
    }));
    return [entry, ...inside];
  });
}

/** The items with these words, in the order they are read. */
export function findInSession(db: Db, session: SessionEntry, words: string): string[] {
  const found = new Set(itemsWith(db, session.id, words));
  return outlineSession(db, session)
    .map(({ item }) => item)
    .filter((item) => found.has(item));
}

/** These items of a session, by what the outline calls them; what is not there, or another's, is left out. */
export function readOutlined(db: Db, session: SessionEntry, names: readonly string[]): Map<string, PageItem> {
  const wanted = names.flatMap((name) => {
    const match = /^([pmrtsc])(\d{1,15})$/.exec(name);
    const kind = KINDS[match?.[1] ?? ""];
    return match === null || kind === undefined ? [] : [{ name, kind, id: Number(match[2]), at: 0 }];
  });
  const items = readItems(db, session, ownRows(db, session.id, wanted));
  return new Map(
    wanted.flatMap((row) => {
      const item = items.get(keyOf(row));
      return item === undefined ? [] : [[row.name, item]];
    }),
  );
}

const KINDS: Readonly<Record<string, EntryRow["kind"]>> = {
  p: "prompt",
  m: "message",
  r: "response",
  t: "tool",
  s: "subagent",
  c: "commit",
};
const LETTERS = Object.fromEntries(Object.entries(KINDS).map(([letter, kind]) => [kind, letter]));

function itemOf({ kind, id }: EntryRow): string {
  return `${LETTERS[kind]}${id}`;
}
