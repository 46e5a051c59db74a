// Efforts: groups of sessions that continue each other. `Page` lists all efforts, `DetailPage` shows one.
import type { effort as effortQuery, efforts } from "../../queries/efforts.ts";
import { type RowOf, useLoad } from "../api.ts";
import { FilterBar, scopeQuery, useList } from "../components/filters.tsx";
import { useTitle } from "../components/hooks.ts";
import { LearnedLinks } from "../components/observation-column.tsx";
import { Loaded, PageFrame } from "../components/page.tsx";
import { Time } from "../components/text.tsx";
import { count } from "../format.ts";
import { sessionPath } from "../router.ts";
import type { PageProps } from "../routes.ts";

type Effort = RowOf<typeof efforts>;

export function Page() {
  const found = useList<typeof efforts>("/api/efforts", scopeQuery, 60);
  const empty = {
    title: "No sessions continue each other",
    text: "C-Mem links sessions by plans, branches, commits and shared files. See all [sessions](/sessions).",
  };
  return (
    <PageFrame title="Efforts" about="Sessions that continue each other, grouped.">
      <FilterBar />
      <Loaded from={found} empty={empty}>
        {({ data }) => (
          <ul class="efforts tiles">
            {data.results.map((effort) => (
              <EffortCard key={effort.id} effort={effort} />
            ))}
          </ul>
        )}
      </Loaded>
    </PageFrame>
  );
}

function EffortCard({ effort }: { effort: Effort }) {
  const [decision] = effort.decisions;
  const [open] = effort.open_ends;
  return (
    <li>
      <a class="effort card stack" href={`/efforts/${encodeURIComponent(effort.id)}`}>
        <strong>{effort.title}</strong>
        <span class="meta num">
          <span>{effort.project}</span>
          <span>{count(effort.sessions.length, "session")}</span>
          {effort.subagents > 0 && <span>{count(effort.subagents, "subagent")}</span>}
          {effort.branches.slice(0, 2).map((branch) => (
            <code key={branch}>{branch}</code>
          ))}
          <Time at={effort.last_at} />
        </span>
        {decision !== undefined && <LabelledText label="Decided" text={decision.title} />}
        {open !== undefined && <LabelledText label="To do" text={open.text} />}
      </a>
    </li>
  );
}

function LabelledText({ label, text }: { label: string; text: string }) {
  return (
    <span class="muted small clamp">
      <span class="faint">{label}:</span> {text}
    </span>
  );
}

export function DetailPage({ id }: PageProps) {
  const effort = useLoad<typeof effortQuery>(() => `/api/efforts/${encodeURIComponent(id)}`);
  const known = effort.load.value.reply?.data;
  useTitle(known?.title);
  const empty = {
    title: "Effort not found",
    heading: "h1",
    text: "It may have become part of another one. See [all efforts](/efforts).",
  } as const;
  return (
    <PageFrame crumbs={<a href="/efforts">Efforts</a>} title={known?.title} about={known && <About effort={known} />}>
      <Loaded from={effort} empty={empty}>
        {({ data: { sessions, decisions, open_ends: next } }) => (
          <div class="columns">
            <section>
              <h2>Sessions</h2>
              <Sessions sessions={sessions} />
            </section>
            <aside>
              <h2>Decisions</h2>
              {decisions.length === 0 && <p class="muted">No decisions recorded.</p>}
              <LearnedLinks observations={decisions} />
              <h2>To do</h2>
              {next.length === 0 && <p class="muted">No next steps recorded.</p>}
              <ul class="stack small">
                {next.map(({ session_id: session, text }) => (
                  <li key={`${session} ${text}`}>
                    {text} <a href={sessionPath(session)}>See session</a>
                  </li>
                ))}
              </ul>
            </aside>
          </div>
        )}
      </Loaded>
    </PageFrame>
  );
}

function About({ effort }: { effort: Effort }) {
  const isOneDay = new Date(effort.started_at).toDateString() === new Date(effort.last_at).toDateString();
  return (
    <>
      {effort.project}, {count(effort.sessions.length, "session")}, <Time at={effort.started_at} as="day" />
      {!isOneDay && [" to ", <Time key="to" at={effort.last_at} as="day" />]}
    </>
  );
}

function Sessions({ sessions }: Pick<Effort, "sessions">) {
  const titles = new Map(sessions.map(({ session_id: id, title }) => [id, title]));
  return (
    <ol class="timeline stack">
      {sessions.map((session) => (
        <li key={session.session_id}>
          <p class="split one-line">
            <a href={sessionPath(session.session_id)}>{session.title ?? "(untitled)"}</a>
            <Time at={session.started_at} />
          </p>
          <p class="muted">{session.outcome}</p>
          <p class="meta">
            <span>{session.agent}</span>
            {session.git_branch !== null && <code>{session.git_branch}</code>}
            {session.continues !== null && (
              <span title={session.weight === null ? undefined : `${Math.round(session.weight * 100)} % certain`}>
                continues{" "}
                <a href={sessionPath(session.continues)}>{titles.get(session.continues) ?? "another session"}</a>
              </span>
            )}
          </p>
        </li>
      ))}
    </ol>
  );
}
