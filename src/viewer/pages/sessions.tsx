// Past sessions, the newest first, day by day.
import { useSignal, useSignalEffect } from "@preact/signals";
import { useLoad } from "../api.ts";
import { Badge } from "../components/badge.tsx";
import { Empty } from "../components/empty.tsx";
import { FilterBar } from "../components/filter-bar.tsx";
import { Loaded } from "../components/loaded.tsx";
import { scopeQuery, useScopeFilters } from "../components/scope-filters.ts";
import { now, Time } from "../components/time.tsx";
import { count, dayName, localDay } from "../format.ts";
import { route, withQuery } from "../router.ts";
import type { ListMeta, Session } from "../wire.ts";
import "./sessions.css";

const PAGE = 50;

export function Sessions() {
  const filters = useScopeFilters();
  const shown = useSignal(PAGE);
  const sessions = useLoad<{ results: Session[] }, ListMeta>(() =>
    withQuery("/api/sessions", { ...scopeQuery(), limit: shown.value }),
  );
  useSignalEffect(() => {
    void route.value;
    shown.value = PAGE;
  });
  return (
    <div class="page">
      <header class="page-head">
        <h1>Sessions</h1>
      </header>
      <FilterBar filters={filters.value} />
      <Loaded from={sessions} empty={<NoSessions />}>
        {({ data, meta }) => (
          <>
            {[...byDay(data.results)].map(([day, list]) => (
              <section key={day} class="day">
                <h2>{dayName(Date.parse(list[0]?.last_at ?? ""), now.value)}</h2>
                <ul>
                  {list.map((session) => (
                    <SessionLine key={session.session_id} session={session} />
                  ))}
                </ul>
              </section>
            ))}
            {meta.has_more === true && (
              <button class="button" onClick={() => (shown.value += PAGE)}>
                Show earlier sessions
              </button>
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

function SessionLine({ session }: { session: Session }) {
  return (
    <li>
      <a class="session-line" href={`/sessions/${encodeURIComponent(session.session_id)}`}>
        <Time at={session.last_at} as="clock" />
        <span class="session-name">
          <span class="session-title">{session.title ?? session.subtitle ?? "(untitled)"}</span>
          {session.title !== null && session.subtitle !== null && <span class="session-sub">{session.subtitle}</span>}
        </span>
        <span class="session-facts num">
          {session.status === "active" && <Badge tone="good">active</Badge>}
          {session.status === "failed" && <Badge tone="bad">failed</Badge>}
          <span>{session.project}</span>
          <span>{session.agent}</span>
          <span>{count(session.prompts, "prompt")}</span>
        </span>
      </a>
    </li>
  );
}

function NoSessions() {
  return (
    <Empty title="No session here">
      <p>
        Sessions appear as they happen. Those from before are brought in by <code>c-mem sync</code>; other filters may
        show more.
      </p>
    </Empty>
  );
}

function byDay(sessions: readonly Session[]): Map<string, Session[]> {
  return Map.groupBy(sessions, ({ last_at: at }) => localDay(Date.parse(at)));
}
