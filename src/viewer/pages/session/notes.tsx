// What was learned, beside where it was learned; each leads to what it rests on.
import { TypeBadge } from "../../components/badge.tsx";
import { Icon } from "../../components/icon.tsx";
import type { Observation } from "../../wire.ts";
import type { Entry, Outline } from "./outline.ts";
import type { RowActions } from "./row.tsx";

/** Which observations stand beside which entry: at the last thing they rest on, when all of it was known. */
export function placeNotes(
  { entries, indexes }: Outline,
  observations: readonly Observation[],
): Map<string, Observation[]> {
  const notes = new Map<string, Observation[]>();
  for (const observation of observations) {
    const places = observation.evidence.flatMap((id) => indexes.get(id) ?? []);
    const last = places.length === 0 ? undefined : entries[Math.max(...places)];
    const id = last === undefined ? promptOf(entries, observation.prompt_number) : hostOf(last);
    if (id !== undefined) notes.set(id, [...(notes.get(id) ?? []), observation]);
  }
  return notes;
}

/** In the margin, `mayHang` lets a note reach down beside what follows, so that it does not push it away. */
export function Notes({
  notes,
  actions,
  mayHang,
}: {
  notes: readonly Observation[];
  actions: RowActions;
  mayHang: boolean;
}) {
  const isOpen = notes.some(({ id }) => actions.isOpen(id));
  return (
    <aside class={mayHang && !isOpen ? "notes may-hang" : "notes"} aria-label="Learned here">
      {notes.map((note) => (
        <Note key={note.id} note={note} actions={actions} />
      ))}
    </aside>
  );
}

function Note({ note, actions }: { note: Observation; actions: RowActions }) {
  const isOpen = actions.isOpen(note.id);
  return (
    <section class={note.superseded_by === null ? "note" : "note is-replaced"} id={note.id}>
      <button class="note-head" aria-expanded={isOpen} onClick={() => actions.toggle(note.id)}>
        <span class="note-marks">
          <TypeBadge type={note.type} />
          {note.pinned && <Icon name="pin" />}
          {note.superseded_by !== null && <span class="replaced">replaced</span>}
        </span>
        <span class="note-title">{note.title}</span>
      </button>
      {isOpen && (
        <div class="note-body">
          <p>{note.narrative}</p>
          {note.facts.length > 0 && (
            <ul>
              {note.facts.map((fact, index) => (
                <li key={index}>{fact}</li>
              ))}
            </ul>
          )}
          <p class="evidence">
            <span>Rests on</span>
            {note.evidence.map((id) => (
              <a key={id} href={`#${id}`} title={id}>
                {KINDS[id[0] ?? ""] ?? id}
              </a>
            ))}
            <a href={`/memory/${note.id}`}>All about it</a>
          </p>
        </div>
      )}
    </section>
  );
}

const KINDS: Readonly<Record<string, string>> = { p: "a prompt", m: "an answer", t: "a tool use" };

/** What happened in a subagent is noted beside the subagent, whose work may be folded. */
function hostOf(entry: Entry): string {
  return entry.agent === "" ? entry.id : entry.agent;
}

function promptOf(entries: readonly Entry[], turn: number | null): string | undefined {
  return entries.find((entry) => entry.kind === "prompt" && entry.turn === turn)?.id;
}
