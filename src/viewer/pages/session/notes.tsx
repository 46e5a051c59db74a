// Observations shown in the margin of a session, each beside the last item of its evidence.
import { Icon } from "../../components/icon.tsx";
import { Bullets, TypeBadge } from "../../components/text.tsx";
import type { Session } from "./header.tsx";
import type { Outline } from "./outline.ts";
import { type OpenItems, toggle } from "./row.tsx";

export type Observation = Session["observations"][number];

/** Groups observations by the id of the entry beside which they are shown. */
export function groupByEntry({ entries, indexes }: Outline, observations: readonly Observation[]) {
  return Map.groupBy(observations, ({ evidence, prompt_number: turn }) => {
    const last = entries[Math.max(...evidence.map((id) => indexes.get(id) ?? -1))];
    if (last === undefined) return entries.find((entry) => entry.kind === "prompt" && entry.turn === turn)?.id;
    // The items of a subagent may be folded, so the note is shown beside the subagent.
    return last.agent === "" ? last.id : last.agent;
  });
}

interface NotesProps {
  notes: readonly Observation[];
  open: OpenItems;
  /** The note may extend beside the next rows instead of moving them down. */
  mayOverhang: boolean;
}

export function Notes({ notes, open, mayOverhang }: NotesProps) {
  const isOpen = notes.some(({ id }) => open.value.has(id));
  return (
    <aside class={mayOverhang && !isOpen ? "notes stack may-overhang" : "notes stack"} aria-label="Learned here">
      {notes.map((note) => (
        <Note key={note.id} note={note} open={open} />
      ))}
    </aside>
  );
}

const KIND_LABELS: Readonly<Record<string, string>> = { p: "a prompt", m: "an answer", t: "a tool use" };

function Note({ note, open }: { note: Observation; open: OpenItems }) {
  const { id, superseded_by: successor } = note;
  const isOpen = open.value.has(id);
  return (
    <section class={`note side-line small ${successor === null ? "" : "is-replaced"}`} id={id}>
      <button class="row note-head" aria-expanded={isOpen} onClick={() => toggle(open, id)}>
        <span class="meta">
          <TypeBadge type={note.type} />
          {note.pinned && <Icon name="pin" />}
          {successor !== null && <span>replaced</span>}
        </span>
        <span class={isOpen ? "title" : "title clamp"}>{note.title}</span>
      </button>
      {isOpen && (
        <div class="note-body stack muted">
          <p>{note.narrative}</p>
          <Bullets items={note.facts} />
          <p class="inline small">
            <span>Evidence:</span>
            {note.evidence.map((item) => (
              <a key={item} href={`#${item}`} title={item}>
                {KIND_LABELS[item[0] ?? ""] ?? item}
              </a>
            ))}
            <a href={`/memory/${id}`}>Details</a>
          </p>
        </div>
      )}
    </section>
  );
}
