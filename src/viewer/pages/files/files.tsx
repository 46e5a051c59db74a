// The files that sessions changed; with a path in the address, the history of that one.
import { useLoad } from "../../api.ts";
import { Empty } from "../../components/empty.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { Lines } from "../../components/lines.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { scopeQuery, useScopeFilters } from "../../components/scope-filters.ts";
import { Time } from "../../components/time.tsx";
import { WordsField } from "../../components/words-field.tsx";
import { count } from "../../format.ts";
import { route, withQuery } from "../../router.ts";
import type { ChangedFile, ListMeta } from "../../wire.ts";
import { History } from "./history.tsx";
import "./files.css";

export function Files() {
  const path = route.value.query.get("path");
  return path === null ? <AllFiles /> : <History key={path} path={path} />;
}

function AllFiles() {
  const filters = useScopeFilters();
  const files = useLoad<{ results: ChangedFile[] }, ListMeta>(() =>
    withQuery("/api/paths", { ...scopeQuery("q"), limit: 200 }),
  );
  return (
    <div class="page">
      <header class="page-head">
        <h1>Files</h1>
        <p>What sessions changed, the latest first.</p>
      </header>
      <FilterBar filters={filters.value}>
        <WordsField name="q" label="Part of a path" />
      </FilterBar>
      <Loaded from={files} empty={<NoFiles />}>
        {({ data }) => (
          <ul class="files">
            {data.results.map((file) => (
              <li key={`${file.project_key} ${file.path}`}>
                <a href={withQuery("/files", { path: file.path, project: file.project_key })}>
                  <code>{file.path}</code>
                  <span class="file-facts num">
                    <Lines added={file.added} removed={file.removed} />
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
    </div>
  );
}

function NoFiles() {
  return (
    <Empty title="No session changed a file here">
      <p>Other filters may show more.</p>
    </Empty>
  );
}
