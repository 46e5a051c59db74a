// The list of observations, with filters. A click on an observation shows its details in the list.
import { useSignal } from "@preact/signals";
import { CONCEPTS, OBSERVATION_TYPES } from "../../../core/memory.ts";
import type { observations } from "../../../queries/observations.ts";
import { ToggleButton } from "../../components/controls.tsx";
import { type Filter, FilterBar, FilterField, scopeQuery, useList } from "../../components/filters.tsx";
import { Empty, Loaded, PageFrame } from "../../components/page.tsx";
import { count } from "../../format.ts";
import { route } from "../../router.ts";
import { useLive } from "../../stream.ts";
import { hiddenIds } from "./forget.ts";
import { AddForm } from "./forms.tsx";
import { ObservationLine } from "./observation.tsx";

const FILTERS: readonly Filter[] = [
  { name: "type", label: "Type", anyLabel: "All types", options: OBSERVATION_TYPES },
  { name: "concept", label: "Concept", anyLabel: "All concepts", options: CONCEPTS },
  { name: "show", label: "Status", anyLabel: "Current", options: { pinned: "Pinned", all: "Current and replaced" } },
];

export function Page() {
  const isAdding = useSignal(false);
  const found = useList<typeof observations>("/api/observations", () => {
    const show = route.value.query.get("show");
    return {
      ...scopeQuery("q", "type", "concept", "file"),
      pinned: show === "pinned" ? 1 : undefined,
      superseded: show === "all" ? 1 : undefined,
    };
  });
  useLive(found.reload, ({ kind }) => kind === "observation");
  const done = (isChanged: boolean): void => {
    isAdding.value = false;
    if (isChanged) found.reload();
  };
  const add = <ToggleButton label="Add observation" isOpen={isAdding} />;
  const empty = {
    title: "No observations match",
    text: "Observations appear seconds after a turn ends. Change the filters, or run `c-mem sync` to import sessions.",
  };
  return (
    <PageFrame title="Memory" actions={add}>
      {isAdding.value && <AddForm done={done} />}
      <FilterBar filters={FILTERS}>
        <FilterField name="q" label="Words" />
        <FilterField name="file" label="File" />
      </FilterBar>
      <Loaded from={found} empty={empty}>
        {({ data, meta }) => {
          const visible = data.results.filter(({ id }) => !hiddenIds.value.has(id));
          return (
            <>
              {meta.not_derived > 0 && <p class="muted">{count(meta.not_derived, "session")} not processed yet.</p>}
              {visible.length === 0 && (
                <Empty title="Nothing left here" text="All observations listed here were forgotten." />
              )}
              <ul class="observations lines">
                {visible.map((observation) => (
                  <ObservationLine key={observation.id} observation={observation} changed={found.reload} />
                ))}
              </ul>
            </>
          );
        }}
      </Loaded>
    </PageFrame>
  );
}
