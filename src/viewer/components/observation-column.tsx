// A side column of observations.
import type { observations } from "../../queries/observations.ts";
import { useLoad } from "../api.ts";
import { Loaded, Skeleton } from "./states.tsx";
import { TypeBadge } from "./text.tsx";
import { Time } from "./time.tsx";

export function ObservationColumn({ path }: { path: () => string | undefined }) {
  const found = useLoad<typeof observations>(path);
  return (
    <aside aria-label="Learned">
      <h2>Learned</h2>
      <Loaded from={found} skeleton={<Skeleton lines={6} />} empty="No observations.">
        {({ data }) => (
          <ul class="stack small">
            {data.results.map(({ id, type, title, valid_from: at }) => (
              <li key={id}>
                <a class="learned-link side-line" href={`/memory/${id}`}>
                  <span class="split">
                    <TypeBadge type={type} />
                    <Time at={at} />
                  </span>
                  <span class="clamp">{title}</span>
                </a>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </aside>
  );
}
