import { describe, expect, it } from "vitest";
import { said, type Seeded, seedStore, START } from "../../test/seed.ts";
import { isCopiedSession } from "../store/reads/copied-turns.ts";
import { listObservations } from "../store/reads/observation-list.ts";
import { emptyDeletionSet } from "../upkeep/erase/deletion-set.ts";
import { forget } from "../upkeep/erase/forget.ts";
import { staleSessions } from "../store/tables/stale-turns.ts";
import { deriveSession } from "./derive.ts";

const SAID = "Fixed: `save` stored only the titles, so `done` was lost on reload. It now stores whole todos.";
const FIRST = "0b9c6f1e-1d8e-4f5e-9a38-0a51f6a1c001";
const SECOND = "0b9c6f1e-1d8e-4f5e-9a38-0a51f6a1c002";

/** A turn with the agent's own ids, which a copied transcript repeats. */
function addTurn({ add }: Seeded, session: string, promptId: string, at: number, extra?: string): void {
  const text =
    promptId === FIRST ? "Completed todos come back after a reload, fix it" : "Store the colour of a todo, too";
  add(session, { kind: "prompt", promptId, text }, { at });
  const edit = {
    path: `src/${promptId === FIRST ? "store" : "colour"}.js`,
    kind: "edit" as const,
    added: 3,
    removed: 1,
  };
  add(
    session,
    { kind: "tool-use", toolUseId: `t-${promptId}`, promptId, name: "Edit", input: {}, isError: false, files: [edit] },
    { at: at + 1 },
  );
  add(session, { ...said(`m-${promptId}`, SAID), promptId } as never, { at: at + 2 });
  if (extra !== undefined) add(session, { ...said(`n-${promptId}`, extra), promptId } as never, { at: at + 3 });
  add(session, { kind: "turn-end", promptId, response: extra ?? SAID }, { at: at + 4 });
}

function deriveAll({ db }: Seeded): void {
  for (let stale = staleSessions(db); stale.length > 0; stale = staleSessions(db))
    for (const { id } of stale) deriveSession(db, id, START);
}

const sessionsWithMemory = ({ db }: Seeded) => ({
  observations: listObservations(db, {}, 20)
    .map(({ session_id, prompt_number, copies }) => `${session_id} ${prompt_number}${copies > 0 ? ` +${copies}` : ""}`)
    .toSorted(),
  summaries: db.column(`SELECT DISTINCT session_id || ' ' || prompt_number FROM summaries u
    JOIN sessions s ON s.id = u.session_db_id ORDER BY 1`),
});

describe("a transcript that repeats another session's turns", () => {
  it("adds only memory of its own turns, and counts as a copy", () => {
    const store = seedStore();
    addTurn(store, "a", FIRST, START);
    for (const copy of ["b", "c"]) addTurn(store, copy, FIRST, START);
    addTurn(store, "b", SECOND, START + 1_000);
    deriveAll(store);
    const { observations, summaries } = sessionsWithMemory(store);
    expect(new Set(observations)).toEqual(new Set(["a 1 +2", "b 2"]));
    expect(summaries).toEqual(["a 0", "a 1", "b 0", "b 2"]);
    const idOf = (session: string) =>
      store.db.value<number>("SELECT id FROM sessions WHERE session_id = ?", session) ?? 0;
    expect(["a", "b", "c"].filter((session) => isCopiedSession(store.db, idOf(session)))).toEqual(["c"]);
  });

  it("replaces a turn that it continues", () => {
    const store = seedStore();
    addTurn(store, "a", FIRST, START);
    deriveAll(store);
    addTurn(store, "b", FIRST, START, "The tests pass, too.");
    deriveAll(store);
    const { observations, summaries } = sessionsWithMemory(store);
    expect(new Set(observations)).toEqual(new Set(["b 1 +1"]));
    expect(summaries).toEqual(["b 0", "b 1"]);
  });

  it("takes over when the original is deleted", () => {
    const store = seedStore();
    addTurn(store, "a", FIRST, START);
    addTurn(store, "b", FIRST, START);
    deriveAll(store);
    store.db.run("DELETE FROM sessions WHERE session_id = 'a'");
    deriveAll(store);
    const { observations, summaries } = sessionsWithMemory(store);
    expect(new Set(observations)).toEqual(new Set(["b 1"]));
    expect(summaries).toEqual(["b 0", "b 1"]);
  });

  it("is forgotten with the original", () => {
    const store = seedStore();
    addTurn(store, "a", FIRST, START);
    addTurn(store, "b", FIRST, START);
    addTurn(store, "b", SECOND, START + 1_000);
    deriveAll(store);
    const promptOf = (session: string) =>
      store.db.value<number>(
        "SELECT p.id FROM prompts p JOIN sessions s ON s.id = p.session_db_id WHERE s.session_id = ? ORDER BY p.id",
        session,
      ) ?? 0;
    forget(store.db, { ...emptyDeletionSet(), prompts: new Set([promptOf("a")]) }, START);
    expect(sessionsWithMemory(store).summaries).toEqual(["b 0", "b 1"]);
    expect(store.db.column("SELECT text FROM prompts")).toEqual(["Store the colour of a todo, too"]);
    // The copied transcript is read again, and another copy for the first time.
    for (const copy of ["b", "c"]) addTurn(store, copy, FIRST, START);
    expect(store.db.value("SELECT count(*) FROM prompts")).toBe(1);
    expect(store.db.value("SELECT count(*) FROM messages")).toBe(1);
    expect(store.db.value("SELECT count(*) FROM tool_uses")).toBe(1);
  });

  it("is forgotten with the original session, also if it is read later", () => {
    const store = seedStore();
    addTurn(store, "a", FIRST, START);
    forget(store.db, { ...emptyDeletionSet(), sessions: new Set([1]) }, START);
    addTurn(store, "b", FIRST, START);
    addTurn(store, "b", SECOND, START + 1_000);
    expect(store.db.column("SELECT text FROM prompts")).toEqual(["Store the colour of a todo, too"]);
    expect(store.db.value("SELECT count(*) FROM messages")).toBe(1);
    // A command may have the id of the prompt before it.
    store.add("c", { kind: "prompt", promptId: FIRST, text: "/compact" });
    expect(store.db.column("SELECT text FROM prompts ORDER BY id")).toContain("/compact");
  });

  it("loses a message that is forgotten in the original", () => {
    const store = seedStore();
    addTurn(store, "a", FIRST, START);
    addTurn(store, "b", FIRST, START);
    deriveAll(store);
    const message = store.db.value<number>("SELECT min(id) FROM messages") ?? 0;
    forget(store.db, { ...emptyDeletionSet(), messages: new Set([message]) }, START);
    expect(store.db.value("SELECT count(*) FROM messages")).toBe(0);
    expect(store.db.column("SELECT response FROM prompts")).toEqual([null, null]);
    const told = store.db.column<string>("SELECT title || narrative || facts FROM observations");
    expect(told.join("\n")).not.toContain("stored only");
  });

  it("is no copy if only a weak id, or only the text, is the same", () => {
    const store = seedStore();
    for (const session of ["a", "b"]) {
      store.add(session, { kind: "prompt", promptId: "1", text: "Store the colour of a todo, too" });
      store.add(session, { kind: "turn-end", promptId: "1", response: SAID });
    }
    deriveAll(store);
    expect(sessionsWithMemory(store).summaries).toEqual(["a 0", "a 1", "b 0", "b 1"]);
  });
});
