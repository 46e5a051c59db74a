// An observation as a line of a list, its text, and the buttons that change it.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { observations } from "../../../queries/observations.ts";
import { type RowOf, send } from "../../api.ts";
import { Button } from "../../components/controls.tsx";
import { Icon } from "../../components/icon.tsx";
import { Badge, Bullets, Paragraph, Time, TypeBadge } from "../../components/text.tsx";
import { report } from "../../components/toast.tsx";
import { sessionPath, withQuery } from "../../router.ts";
import { forget } from "./forget.ts";
import { EditForm, ReplaceForm } from "./forms.tsx";

type ListedObservation = RowOf<typeof observations>;
/** An observation from the list or from the detail page: their `evidence` differs. */
export type AnyObservation = Omit<ListedObservation, "evidence">;

export function ObservationLine({ observation, changed }: { observation: ListedObservation; changed: () => void }) {
  const isOpen = useSignal(false);
  return (
    <li class={observation.superseded_by === null ? "observation" : "observation is-replaced"}>
      <button
        class="row observation-head cells"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        <TypeBadge type={observation.type} />
        <span class="title">{observation.title}</span>
        <ObservationBadges observation={observation} />
        <span class="meta num">
          <span>{observation.project ?? "all projects"}</span>
          <Time at={observation.valid_from} />
        </span>
      </button>
      {isOpen.value && (
        <div class="observation-body stack">
          <ObservationBody observation={observation} lastEvidence={observation.evidence.at(-1)}>
            <a href={`/memory/${observation.id}`}>Details</a>
          </ObservationBody>
          <ObservationActions observation={observation} changed={changed} />
        </div>
      )}
    </li>
  );
}

/** Says whether the observation is pinned, replaced or outdated. */
export function ObservationBadges({ observation }: { observation: AnyObservation }) {
  const { pinned, superseded_by: successor, standing, marked_wrong: isWrong, copies } = observation;
  return (
    <span class="inline">
      {pinned && (
        <Badge tone="accent" title="Shown first">
          <Icon name="pin" /> pinned
        </Badge>
      )}
      {successor !== null && <Badge>replaced</Badge>}
      {copies > 0 && (
        <Badge title="Other sessions whose transcripts repeat its turn">
          +{copies} {copies === 1 ? "copy" : "copies"}
        </Badge>
      )}
      {isWrong && (
        <Badge tone="warn" title="Not injected">
          marked wrong
        </Badge>
      )}
      {standing !== null && standing !== undefined && standing.kind !== "holds" && (
        <Badge tone="warn" title={standing.note}>
          {standing.kind === "gone" ? "outdated" : `${standing.kind} since`}
        </Badge>
      )}
    </span>
  );
}

interface ObservationBodyProps {
  observation: AnyObservation;
  lastEvidence: string | undefined;
  /** More links, shown after the observation's own links. */
  children?: ComponentChildren;
}

export function ObservationBody({ observation, lastEvidence, children }: ObservationBodyProps) {
  const { narrative, facts, concepts, standing, superseded_by: successor, session_id: session } = observation;
  const { files, files_read: read, files_modified: modified } = observation;
  const mentioned = files.filter((file) => !read.includes(file) && !modified.includes(file));
  return (
    <>
      {narrative !== "" && <p class="as-typed">{narrative}</p>}
      <Bullets items={facts} />
      {standing?.note && (
        // " (its files are gone)" -> "its files are gone"
        <Paragraph class="standing" text={`Compared with today's files: ${standing.note.slice(2, -1)}.`} />
      )}
      {successor !== null && (
        <p>
          Replaced by <a href={`/memory/${successor.id}`}>{successor.title ?? successor.id}</a>
        </p>
      )}
      <p class="inline small">
        <FileLinks label="Modified" files={modified} />
        <FileLinks label="Read" files={read} />
        <FileLinks files={mentioned} />
        {concepts.map((concept) => (
          <a key={concept} href={withQuery("/memory", { concept })}>
            {concept}
          </a>
        ))}
        {session !== null && <a href={sessionPath(session, lastEvidence)}>See in session</a>}
        {children}
      </p>
    </>
  );
}

function FileLinks({ label, files }: { label?: string; files: readonly string[] }) {
  if (files.length === 0) return null;
  return (
    <>
      {label !== undefined && <span class="muted">{label}</span>}
      {files.map((path) => (
        <a key={path} href={withQuery("/files", { path })}>
          <code>{path}</code>
        </a>
      ))}
    </>
  );
}

interface ObservationActionsProps {
  observation: AnyObservation;
  changed: () => void;
  forgotten?: () => void;
}

export function ObservationActions({ observation, changed, forgotten }: ObservationActionsProps) {
  const form = useSignal<"edit" | "replace" | undefined>(undefined);
  const {
    id,
    title,
    pinned,
    superseded_by: successor,
    superseded_by_hand: isByHand,
    marked_wrong: isWrong,
  } = observation;
  const change = async (method: "PUT" | "DELETE", what: "pin" | "successor", done: string): Promise<void> => {
    if (await report(send(method, `/api/observations/${id}/${what}`), done)) changed();
  };
  const mark = async (method: "PUT" | "DELETE", done: string): Promise<void> => {
    if (await report(send(method, `/api/items/${id}/wrong`), done)) changed();
  };
  const toggle = (which: "edit" | "replace"): void => {
    form.value = form.value === which ? undefined : which;
  };
  const done = (isChanged: boolean): void => {
    form.value = undefined;
    if (isChanged) changed();
  };
  return (
    <>
      <div class="inline" role="group" aria-label="Actions">
        <Button
          label={pinned ? "Unpin" : "Pin"}
          aria-pressed={pinned}
          onClick={() => void (pinned ? change("DELETE", "pin", "Unpinned.") : change("PUT", "pin", "Pinned."))}
        />
        <Button label="Edit" aria-expanded={form.value === "edit"} onClick={() => toggle("edit")} />
        {successor === null && (
          <Button label="Replace" aria-expanded={form.value === "replace"} onClick={() => toggle("replace")} />
        )}
        {successor !== null && isByHand && (
          <Button label="Undo replacement" onClick={() => void change("DELETE", "successor", "Current again.")} />
        )}
        <Button
          label="Wrong"
          title={isWrong ? "Let agents see it again" : "Wrong or useless: never inject it again"}
          aria-pressed={isWrong}
          onClick={() => void (isWrong ? mark("DELETE", "No longer marked.") : mark("PUT", "Marked as wrong."))}
        />
        <Button
          label="Forget"
          class="button danger"
          onClick={() => void forget(id, title).then((isAccepted) => isAccepted && forgotten?.())}
        />
      </div>
      {form.value === "edit" && <EditForm observation={observation} done={done} />}
      {form.value === "replace" && <ReplaceForm observation={observation} done={done} />}
    </>
  );
}
