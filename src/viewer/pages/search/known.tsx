// What is known about the words: observations beside the sessions they were looked for in.
import { useLoad } from "../../api.ts";
import { TypeBadge } from "../../components/badge.tsx";
import { scopeQuery } from "../../components/scope-filters.ts";
import { Time } from "../../components/time.tsx";
import { route, withQuery } from "../../router.ts";
import type { Observation } from "../../wire.ts";

const SHOWN = 6;

export function Known() {
  const known = useLoad<{ results: Observation[] }>(() => {
    const q = (route.value.query.get("q") ?? "").trim();
    return q === "" ? undefined : withQuery("/api/observations", { q, limit: SHOWN, ...scopeQuery("type") });
  });
  const results = known.load.value.reply?.data.results ?? [];
  return (
    <aside class="known" aria-label="Learned">
      {results.length > 0 && (
        <>
          <h2>Learned</h2>
          <ul>
            {results.map((observation) => (
              <li key={observation.id}>
                <a href={`/memory/${observation.id}`}>
                  <span class="known-marks">
                    <TypeBadge type={observation.type} />
                    <Time at={observation.valid_from} />
                  </span>
                  <span class="known-title">{observation.title}</span>
                </a>
              </li>
            ))}
          </ul>
        </>
      )}
    </aside>
  );
}
