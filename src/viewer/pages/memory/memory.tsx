// What is known: by project, type, concept and file; each with what it rests on and what can be done about it.
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useLoad } from "../../api.ts";
import { Empty } from "../../components/empty.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { scopeQuery, useScopeFilters } from "../../components/scope-filters.ts";
import { WordsField } from "../../components/words-field.tsx";
import { count } from "../../format.ts";
import { route, withQuery } from "../../router.ts";
import { onLive } from "../../stream.ts";
import type { ListedObservation, ListMeta } from "../../wire.ts";
import { CONCEPT, SHOW, TYPE } from "./filters.ts";
import { hiddenIds } from "./forget.ts";
import { ObservationLine } from "./line.tsx";
import { Remember } from "./remember.tsx";
import "./memory.css";

const PAGE = 50;

export function Memory() {
  const filters = useScopeFilters();
  const shown = useSignal(PAGE);
  const isWriting = useSignal(false);
  const known = useLoad<{ results: ListedObservation[] }, ListMeta & { not_derived: number }>(() => {
    const show = route.value.query.get("show");
    const which = show === "pinned" ? { pinned: 1 } : show === "all" ? { superseded: 1 } : {};
    return withQuery("/api/observations", {
      ...scopeQuery("q", "type", "concept", "file"),
      ...which,
      limit: shown.value,
    });
  });
  useSignalEffect(() => {
    void route.value;
    shown.value = PAGE;
  });
  useEffect(() => onLive(({ kind }) => kind === "observation" && known.reload()), []);
  return (
    <div class="page">
      <header class="page-head">
        <h1>Memory</h1>
        <button class="button" aria-expanded={isWriting.value} onClick={() => (isWriting.value = !isWriting.value)}>
          Write something down
        </button>
      </header>
      {isWriting.value && <Remember close={() => (isWriting.value = false)} saved={known.reload} />}
      <FilterBar filters={[...filters.value, TYPE, CONCEPT, SHOW]}>
        <WordsField name="q" label="Words" />
        <WordsField name="file" label="File" />
      </FilterBar>
      <Loaded from={known} empty={<NothingKnown />}>
        {({ data, meta }) => (
          <>
            {data.results.every(({ id }) => hiddenIds.value.has(id)) && <AllForgotten />}
            {meta.not_derived > 0 && (
              <p class="muted">Memory of {count(meta.not_derived, "session")} is still being made.</p>
            )}
            <ul class="observations">
              {data.results
                .filter(({ id }) => !hiddenIds.value.has(id))
                .map((observation) => (
                  <ObservationLine key={observation.id} observation={observation} changed={known.reload} />
                ))}
            </ul>
            {meta.has_more === true && (
              <button class="button" onClick={() => (shown.value += PAGE)}>
                Show more
              </button>
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

/** All that was listed is on its way out. */
function AllForgotten() {
  return (
    <Empty title="Nothing is left here">
      <p>What was shown is forgotten. Other filters may show more.</p>
    </Empty>
  );
}

function NothingKnown() {
  return (
    <Empty title="Nothing is known here yet">
      <p>
        Observations are made of every turn a few seconds after it ends. <code>c-mem sync</code> brings in earlier
        sessions; other filters may show more.
      </p>
    </Empty>
  );
}
