// Past sessions, the newest first.
import { useLoad } from "../api.ts";
import { Empty } from "../components/empty.tsx";
import { FilterBar, SINCE } from "../components/filter-bar.tsx";
import { Loaded } from "../components/loaded.tsx";
import { Time } from "../components/time.tsx";
import { route, withQuery } from "../router.ts";
import type { ListMeta, Session } from "../wire.ts";

export function Sessions() {
  const sessions = useLoad<{ results: Session[] }, ListMeta>(() =>
    withQuery("/api/sessions", { since: route.value.query.get("since") ?? undefined, limit: 50 }),
  );
  return (
    <div class="page">
      <header class="page-head">
        <h1>Sessions</h1>
      </header>
      <FilterBar filters={[SINCE]} />
      <Loaded from={sessions} empty={<Empty title="No session yet" />}>
        {({ data }) => (
          <ul>
            {data.results.map((session) => (
              <li key={session.session_id}>
                <a href={`/sessions/${encodeURIComponent(session.session_id)}`}>{session.title ?? "(untitled)"}</a>{" "}
                <Time at={session.last_at} />
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </div>
  );
}
