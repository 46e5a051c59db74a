// What was worked on, each undertaking over as many sessions as it took.
import { useLoad } from "../../api.ts";
import { Empty } from "../../components/empty.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { scopeQuery, useScopeFilters } from "../../components/scope-filters.ts";
import { Time } from "../../components/time.tsx";
import { count } from "../../format.ts";
import { withQuery } from "../../router.ts";
import type { Effort } from "../../wire.ts";
import "./efforts.css";

export function Efforts() {
  const filters = useScopeFilters();
  const efforts = useLoad<{ results: Effort[] }, { total: number; has_more: boolean }>(() =>
    withQuery("/api/efforts", { ...scopeQuery(), limit: 60 }),
  );
  return (
    <div class="page">
      <header class="page-head">
        <h1>Efforts</h1>
        <p>Sessions that go on with each other, told as one.</p>
      </header>
      <FilterBar filters={filters.value} />
      <Loaded from={efforts} empty={<NoEfforts />}>
        {({ data, meta }) => (
          <>
            <ul class="efforts">
              {data.results.map((effort) => (
                <EffortCard key={effort.id} effort={effort} />
              ))}
            </ul>
            {meta.has_more && <p class="muted">The latest of {count(meta.total, "effort")}.</p>}
          </>
        )}
      </Loaded>
    </div>
  );
}

function EffortCard({ effort }: { effort: Effort }) {
  const [decision] = effort.decisions;
  const [open] = effort.open_ends;
  return (
    <li>
      <a class="effort card" href={`/efforts/${encodeURIComponent(effort.id)}`}>
        <span class="effort-title">{effort.title}</span>
        <span class="effort-facts num">
          <span>{effort.project}</span>
          <span>{count(effort.sessions.length, "session")}</span>
          {effort.subagents > 0 && <span>{count(effort.subagents, "subagent")}</span>}
          {effort.branches.slice(0, 2).map((branch) => (
            <code key={branch}>{branch}</code>
          ))}
          <Time at={effort.last_at} />
        </span>
        {decision !== undefined && (
          <span class="effort-note">
            <span class="label">Decided</span> {decision.title}
          </span>
        )}
        {open !== undefined && (
          <span class="effort-note">
            <span class="label">Left</span> {open.text}
          </span>
        )}
      </a>
    </li>
  );
}

function NoEfforts() {
  return (
    <Empty title="No two sessions go on with each other">
      <p>
        Sessions are tied together by plans they carry out, branches, commits and the files they share.{" "}
        <a href="/sessions">Single sessions</a> are listed on their own page.
      </p>
    </Empty>
  );
}
