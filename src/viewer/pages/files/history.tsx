// One file across sessions: who changed it, why, and what is known about it.
import { useLoad } from "../../api.ts";
import { Badge, TypeBadge } from "../../components/badge.tsx";
import { Empty } from "../../components/empty.tsx";
import { Lines } from "../../components/lines.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Time } from "../../components/time.tsx";
import { count, oneLine } from "../../format.ts";
import { route, withQuery } from "../../router.ts";
import { useTitle } from "../../title.ts";
import type { FileTurn, ListMeta, Observation } from "../../wire.ts";

const PROMPT_CHARS = 220;

export function History({ path }: { path: string }) {
  const project = route.value.query.get("project") ?? undefined;
  const turns = useLoad<{ results: FileTurn[] }, ListMeta>(() =>
    withQuery("/api/files", { path, project, reads: 1, limit: 200 }),
  );
  const known = useLoad<{ results: Observation[] }>(() =>
    withQuery("/api/observations", { file: path, project, limit: 12 }),
  );
  useTitle(path);
  return (
    <div class="page">
      <p class="crumbs">
        <a href="/files">Files</a>
      </p>
      <header class="page-head">
        <h1 class="path">{path}</h1>
      </header>
      <div class="beside">
        <Loaded from={turns} empty={<NeverTouched />}>
          {({ data }) => (
            <ol class="file-turns">
              {data.results.map((turn) => (
                <Turn key={`${turn.session_id} ${turn.turn} ${turn.path}`} turn={turn} />
              ))}
            </ol>
          )}
        </Loaded>
        <aside aria-label="Known about it">
          <h2>Known about it</h2>
          <Loaded from={known} empty={<p class="muted">Nothing in particular.</p>}>
            {({ data }) => (
              <ul class="known-list">
                {data.results.map(({ id, type, title, valid_from: at }) => (
                  <li key={id}>
                    <a href={`/memory/${id}`}>{title}</a>
                    <span class="known-facts">
                      <TypeBadge type={type} /> <Time at={at} />
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </Loaded>
        </aside>
      </div>
    </div>
  );
}

function Turn({ turn }: { turn: FileTurn }) {
  const { session_id: session, prompt_id: prompt, edits, creates, reads, commits } = turn;
  const place = `/sessions/${encodeURIComponent(session)}${prompt === null ? "" : `#${prompt}`}`;
  return (
    <li class={edits + creates > 0 ? "turn" : "turn only-read"}>
      <p class="turn-head">
        <a href={place}>{turn.title ?? "(untitled)"}</a>
        <Time at={turn.last_at} />
      </p>
      {turn.prompt !== null && <p class="turn-why">{oneLine(turn.prompt, PROMPT_CHARS)}</p>}
      <p class="turn-facts num">
        {creates > 0 && <Badge tone="good">created</Badge>}
        {edits > 0 && <span>{count(edits, "edit")}</span>}
        {edits + creates > 0 && <Lines added={turn.added} removed={turn.removed} />}
        {reads > 0 && <span>read {reads === 1 ? "once" : `${reads} times`}</span>}
        <span>{turn.agent}</span>
        {commits.map(({ sha, subject }) => (
          <span key={sha} title={subject}>
            <code>{sha.slice(0, 8)}</code>
          </span>
        ))}
      </p>
    </li>
  );
}

function NeverTouched() {
  return (
    <Empty title="No session touched this file">
      <p>
        It may have had another name. <a href="/files">See all files</a>.
      </p>
    </Empty>
  );
}
