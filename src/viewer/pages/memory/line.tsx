// One observation in a list: its title and marks, and in place what it says and what can be done about it.
import { useSignal } from "@preact/signals";
import { Badge, TypeBadge } from "../../components/badge.tsx";
import { Icon } from "../../components/icon.tsx";
import { Time } from "../../components/time.tsx";
import type { AnyObservation, ListedObservation } from "../../wire.ts";
import { Actions } from "./actions.tsx";
import { Body } from "./body.tsx";

export function ObservationLine({ observation, changed }: { observation: ListedObservation; changed: () => void }) {
  const isOpen = useSignal(false);
  const isReplaced = observation.superseded_by !== null;
  return (
    <li class={isReplaced ? "observation is-replaced" : "observation"}>
      <button class="observation-head" aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)}>
        <TypeBadge type={observation.type} />
        <span class="observation-title">{observation.title}</span>
        <Marks observation={observation} />
        <span class="observation-facts num">
          <span>{observation.project ?? "every project"}</span>
          <Time at={observation.valid_from} />
        </span>
      </button>
      {isOpen.value && (
        <div class="observation-body">
          <Body observation={observation} at={observation.evidence.at(-1)}>
            <a href={`/memory/${observation.id}`}>All about it</a>
          </Body>
          <Actions observation={observation} changed={changed} />
        </div>
      )}
    </li>
  );
}

/** What sets it apart from the others: pinned, replaced, no longer true. */
export function Marks({ observation }: { observation: AnyObservation }) {
  const { pinned, superseded_by: successor, standing } = observation;
  return (
    <span class="observation-marks">
      {pinned && (
        <Badge tone="accent" title="Kept in front">
          <Icon name="pin" /> pinned
        </Badge>
      )}
      {successor !== null && <Badge>replaced</Badge>}
      {standing?.kind === "gone" && (
        <Badge tone="warn" title={standing.note}>
          no longer holds
        </Badge>
      )}
      {(standing?.kind === "changed" || standing?.kind === "renamed") && (
        <Badge tone="warn" title={standing.note}>
          {standing.kind} since
        </Badge>
      )}
    </span>
  );
}
