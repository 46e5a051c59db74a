// A side column with observations.
import type { observations } from "../../queries/observations.ts";
import { useLoad } from "../api.ts";
import { Loaded, Skeleton } from "./page.tsx";
import { Time, TypeBadge } from "./text.tsx";

export function ObservationColumn({ path }: { path: () => string | undefined }) {
  const found = useLoad<typeof observations>(path);
  return (
    <aside aria-label="Learned">
      <h2>Learned</h2>
      <Loaded from={found} skeleton={<Skeleton lines={6} />} empty="No observations.">
        {({ data }) => <LearnedLinks observations={data.results.map((each) => ({ ...each, at: each.valid_from }))} />}
      </Loaded>
    </aside>
  );
}

interface LearnedLinksProps {
  observations: readonly { id: string; type?: string; title: string; at: string }[];
}

export function LearnedLinks({ observations }: LearnedLinksProps) {
  return (
    <ul class="stack small">
      {observations.map(({ id, type, title, at }) => (
        <li key={id}>
          <a class="learned-link side-line" href={`/memory/${id}`}>
            <span class="split">
              {type !== undefined && <TypeBadge type={type} />}
              <Time at={at} />
            </span>
            <span class="clamp">{title}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}
