// The files that sessions changed. With `?path=` in the address, the history of that file, with `&view=lines` its lines;
// with `?commit=` the sessions behind a commit.
import type { blame } from "../../queries/blame.ts";
import type { paths } from "../../queries/paths.ts";
import type { RowOf } from "../api.ts";
import { FilterBar, FilterField, scopeQuery, useList } from "../components/filters.tsx";
import { useTitle } from "../components/hooks.ts";
import { ObservationColumn } from "../components/observation-column.tsx";
import { Loaded, PageFrame } from "../components/page.tsx";
import { Badge, ChangedLines, Time } from "../components/text.tsx";
import { count, oneLine } from "../format.ts";
import { route, sessionPath, withQuery } from "../router.ts";
import { CommitView, FileLines } from "./lines.tsx";

export function Page() {
  const { query } = route.value;
  const [path, commit] = [query.get("path"), query.get("commit")];
  if (commit !== null) return <CommitView key={commit} sha={commit} />;
  if (path !== null && query.get("view") === "lines") return <FileLines key={`lines ${path}`} path={path} />;
  return path === null ? <AllFiles /> : <FileHistory key={path} path={path} />;
}

function AllFiles() {
  const files = useList<typeof paths>("/api/paths", () => scopeQuery("q"), 200);
  return (
    <PageFrame title="Files" about="Files changed by sessions, newest first.">
      <FilterBar>
        <FilterField name="q" label="Part of a path" />
      </FilterBar>
      <Loaded from={files} empty={{ title: "No changed files match", text: "Change or clear the filters." }}>
        {({ data }) => (
          <ul class="files">
            {data.results.map((file) => (
              <li key={`${file.project_key} ${file.path}`}>
                <a class="row outset split" href={withQuery("/files", { path: file.path, project: file.project_key })}>
                  <code>{file.path}</code>
                  <span class="meta num">
                    <ChangedLines added={file.added} removed={file.removed} />
                    <span>{count(file.sessions, "session")}</span>
                    <span>{file.project}</span>
                    <Time at={file.last_at} />
                  </span>
                </a>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </PageFrame>
  );
}

function FileHistory({ path }: { path: string }) {
  const project = route.value.query.get("project") ?? undefined;
  const turns = useList<typeof blame>("/api/files", () => ({ path, project, reads: 1 }), 200);
  useTitle(path);
  const empty = { title: "No session touched this file", text: "It may have been renamed. See [all files](/files)." };
  return (
    <PageFrame
      title={<span class="path">{path}</span>}
      crumbs={<a href="/files">Files</a>}
      actions={
        <a class="button" href={withQuery("/files", { path, project, view: "lines" })}>
          Why each line
        </a>
      }
    >
      <div class="columns">
        <Loaded from={turns} empty={empty}>
          {({ data }) => (
            <ol class="timeline stack">
              {data.results.map((turn) => (
                <Turn key={`${turn.session_id} ${turn.turn} ${turn.path}`} turn={turn} />
              ))}
            </ol>
          )}
        </Loaded>
        <ObservationColumn path={() => withQuery("/api/observations", { file: path, project, limit: 12 })} />
      </div>
    </PageFrame>
  );
}

function Turn({ turn }: { turn: RowOf<typeof blame> }) {
  const { edits, creates, reads } = turn;
  return (
    <li>
      <p class="split one-line">
        <a href={sessionPath(turn.session_id, turn.prompt_id)}>{turn.title ?? "(untitled)"}</a>
        <Time at={turn.last_at} />
      </p>
      {turn.prompt !== null && <p class="muted">{oneLine(turn.prompt, 220)}</p>}
      <p class="meta num">
        {creates > 0 && <Badge tone="good">created</Badge>}
        {edits > 0 && <span>{count(edits, "edit")}</span>}
        {edits + creates > 0 && <ChangedLines added={turn.added} removed={turn.removed} />}
        {reads > 0 && <span>{count(reads, "read")}</span>}
        <span>{turn.agent}</span>
        {turn.commits.map(({ sha, subject }) => (
          <a key={sha} href={withQuery("/files", { commit: sha, project: turn.project })} title={subject}>
            <code>{sha.slice(0, 8)}</code>
          </a>
        ))}
      </p>
    </li>
  );
}
