// One effort from its first session to its last: its arc, what was decided, what is left.
import { useLoad } from "../../api.ts";
import { Empty } from "../../components/empty.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { now, Time } from "../../components/time.tsx";
import { count, dayName } from "../../format.ts";
import { useTitle } from "../../title.ts";
import type { Effort } from "../../wire.ts";
import "./efforts.css";

export function OneEffort({ id }: { id: string }) {
  const effort = useLoad<Effort>(() => `/api/efforts/${encodeURIComponent(id)}`);
  const title = effort.load.value.reply?.data.title;
  useTitle(title);
  return (
    <div class="page">
      <p class="crumbs">
        <a href="/efforts">Efforts</a>
      </p>
      <Loaded from={effort} empty={<Gone />} isEmpty={() => false}>
        {({ data }) => <Told effort={data} />}
      </Loaded>
    </div>
  );
}

/** One where it began and ended on the same. */
function days({ started_at: first, last_at: last }: Effort): string[] {
  return [...new Set([first, last].map((at) => dayName(Date.parse(at), now.value)))];
}

function titleOf({ sessions }: Effort, id: string): string {
  return sessions.find((session) => session.session_id === id)?.title ?? "another session";
}

function Told({ effort }: { effort: Effort }) {
  return (
    <>
      <header class="page-head">
        <h1>{effort.title}</h1>
        <p class="num">
          {effort.project}, {count(effort.sessions.length, "session")}, {days(effort).join(" to ")}
        </p>
      </header>
      <div class="effort-columns">
        <section>
          <h2>How it went</h2>
          <ol class="arc">
            {effort.sessions.map((session) => (
              <li key={session.session_id}>
                <p class="arc-head">
                  <a href={`/sessions/${encodeURIComponent(session.session_id)}`}>{session.title ?? "(untitled)"}</a>
                  <Time at={session.started_at} />
                </p>
                {session.outcome !== null && <p class="arc-outcome">{session.outcome}</p>}
                <p class="arc-facts">
                  <span>{session.agent}</span>
                  {session.git_branch !== null && <code>{session.git_branch}</code>}
                  {session.continues !== null && (
                    <span title={session.weight === null ? undefined : `${Math.round(session.weight * 100)} % sure`}>
                      continues{" "}
                      <a href={`/sessions/${encodeURIComponent(session.continues)}`}>
                        {titleOf(effort, session.continues)}
                      </a>
                    </span>
                  )}
                </p>
              </li>
            ))}
          </ol>
        </section>
        <aside>
          <h2>Decided</h2>
          {effort.decisions.length === 0 && <p class="muted">Nothing was laid down.</p>}
          <ul class="effort-list">
            {effort.decisions.map((decision) => (
              <li key={decision.id}>
                <a href={`/memory/${decision.id}`}>{decision.title}</a> <Time at={decision.at} />
              </li>
            ))}
          </ul>
          <h2>Left to do</h2>
          {effort.open_ends.length === 0 && <p class="muted">Nothing that was said.</p>}
          <ul class="effort-list">
            {effort.open_ends.map((end) => (
              <li key={`${end.session_id} ${end.text}`}>
                {end.text} <a href={`/sessions/${encodeURIComponent(end.session_id)}`}>where</a>
              </li>
            ))}
          </ul>
        </aside>
      </div>
    </>
  );
}

function Gone() {
  return (
    <Empty title="There is no such effort" heading="h1">
      <p>
        It may have grown together with another. <a href="/efforts">See all efforts</a>.
      </p>
    </Empty>
  );
}
