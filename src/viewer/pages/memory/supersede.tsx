// Says which newer observation took an older one's place.
import { useSignal } from "@preact/signals";
import { asApiError, send, useLoad } from "../../api.ts";
import { TypeBadge } from "../../components/badge.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Time } from "../../components/time.tsx";
import { toast } from "../../components/toast.tsx";
import { withQuery } from "../../router.ts";
import type { AnyObservation, Observation } from "../../wire.ts";

const OFFERED = 8;

export function Supersede({ observation, saved }: { observation: AnyObservation; saved: () => void }) {
  const words = useSignal(observation.title);
  const offered = useLoad<{ results: Observation[] }>(() =>
    withQuery("/api/observations", {
      q: words.value.trim(),
      project: observation.project_key ?? undefined,
      limit: OFFERED + 1,
    }),
  );
  const others = ({ results }: { results: Observation[] }): Observation[] =>
    results.filter(({ id }) => id !== observation.id).slice(0, OFFERED);
  const choose = async (by: string): Promise<void> => {
    try {
      await send("PUT", `/api/observations/${observation.id}/successor`, { by });
      toast("It is kept, dated and marked as replaced.");
      saved();
    } catch (error) {
      toast(asApiError(error).message);
    }
  };
  return (
    <section class="form card" aria-label="What took its place">
      <label>
        What took its place?
        <input
          class="field"
          type="search"
          value={words.value}
          onInput={(event) => (words.value = event.currentTarget.value)}
        />
      </label>
      <Loaded
        from={offered}
        isEmpty={(data) => others(data).length === 0}
        empty={<p class="muted">Nothing else fits these words.</p>}
      >
        {({ data }) => (
          <ul class="offered">
            {others(data).map((other) => (
              <li key={other.id}>
                <button class="observation-head" onClick={() => void choose(other.id)}>
                  <TypeBadge type={other.type} />
                  <span class="observation-title">{other.title}</span>
                  <span class="observation-facts">
                    <Time at={other.valid_from} />
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}
