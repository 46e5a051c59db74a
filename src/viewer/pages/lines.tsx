// A file with the turn that wrote each range of lines in the margin, and a commit with the sessions behind it.
import type { why } from "../../queries/why.ts";
import { type DataOf, type RowOf, useLoad } from "../api.ts";
import { useTitle } from "../components/hooks.ts";
import { Loaded, PageFrame } from "../components/page.tsx";
import { Badge, Time } from "../components/text.tsx";
import { count, oneLine } from "../format.ts";
import { route, sessionPath, withQuery } from "../router.ts";

type Reason = RowOf<typeof why>;

export function FileLines({ path }: { path: string }) {
  const project = route.value.query.get("project") ?? undefined;
  const file = useLoad<typeof why>(() => withQuery("/api/why", { target: path, project, content: 1 }));
  useTitle(path);
  const crumbs = (
    <>
      <a href="/files">Files</a> / <a href={withQuery("/files", { path, project })}>History</a>
    </>
  );
  // "src/a.ts is not on disk, and no commit has it.", or that it is outside of every project.
  const empty = { title: file.load.value.error?.message ?? "", text: "Its history is in [all files](/files)." };
  return (
    <PageFrame title={<span class="path">{path}</span>} crumbs={crumbs} about="Which turn wrote each line.">
      <Loaded from={file} empty={empty} isEmpty={() => false}>
        {({ data, meta }) => (
          <>
            {meta.is_deleted && (
              <p class="muted">The file was deleted. This is its last version, in {shortSha(meta.commit)}.</p>
            )}
            {data.results.length === 0 && <p class="muted">The file is empty.</p>}
            <Lines data={data} project={meta.project_key} />
          </>
        )}
      </Loaded>
    </PageFrame>
  );
}

/** More lines would make the page slow. */
const MAX_LINES = 5_000;

function Lines({ data: { results, content }, project }: { data: DataOf<typeof why>; project: string | undefined }) {
  const lines = content ?? [];
  return (
    <div class="blame" role="table" aria-label="Lines">
      {results.flatMap((reason) => {
        const [first, last] = reason.lines ?? [1, 0];
        if (first === undefined || last === undefined || first > MAX_LINES) return [];
        return (
          <div key={first} class={reason.session_id === null ? "blame-range is-unknown" : "blame-range"} role="row">
            <div class="blame-why" role="cell">
              <Why reason={reason} project={project} />
            </div>
            <pre class="blame-code" role="cell" tabIndex={0}>
              {lines.slice(first - 1, Math.min(last, MAX_LINES)).map((text, index) => (
                <code key={index} data-line={first + index}>
                  {text}
                  {"\n"}
                </code>
              ))}
            </pre>
          </div>
        );
      })}
      {lines.length > MAX_LINES && (
        <p class="muted">{count(lines.length - MAX_LINES, "more line")}: see `c-mem why`.</p>
      )}
    </div>
  );
}

const NO_COMMIT: Readonly<Record<Reason["committed"], string>> = {
  yes: "",
  no: "Not committed",
  cut: "Before the clone's history",
  unknown: "Commit unknown",
};

function Why({ reason, project }: { reason: Reason; project: string | undefined }) {
  const commit = reason.commit !== null && (
    <CommitLink sha={reason.commit} subject={reason.subject} project={project} />
  );
  if (reason.session_id === null)
    return (
      <p class="muted">
        {reason.commit === null ? NO_COMMIT[reason.committed] : reason.author}, no recorded session {commit}
      </p>
    );
  return (
    <>
      <p>
        <a href={sessionPath(reason.session_id, reason.prompt_id)}>
          {oneLine(reason.prompt ?? reason.title ?? "(untitled)", 90)}
        </a>
      </p>
      {reason.decision !== null && (
        <p>
          <Badge>{reason.decision.type}</Badge>{" "}
          <a href={`/memory/${reason.decision.id}`}>{oneLine(reason.decision.title, 90)}</a>
        </p>
      )}
      <p class="meta num">
        {reason.at !== null && <Time at={reason.at} />}
        <span>{reason.basis === "commit" ? `committed by ${reason.agent}` : reason.agent}</span>
        <Certainty value={reason.confidence} />
        {commit}
      </p>
    </>
  );
}

function Certainty({ value }: { value: number | null }) {
  return value === null || value >= 1 ? null : (
    <span title="How certain the session is">{Math.round(value * 100)}%</span>
  );
}

function CommitLink({ sha, subject, project }: { sha: string; subject: string | null; project: string | undefined }) {
  return (
    <a href={withQuery("/files", { commit: sha, project })} title={subject ?? undefined}>
      <code>{shortSha(sha)}</code>
    </a>
  );
}

function shortSha(sha: string | null): string {
  return sha?.slice(0, 9) ?? "";
}

export function CommitView({ sha }: { sha: string }) {
  const project = route.value.query.get("project") ?? undefined;
  const commit = useLoad<typeof why>(() => withQuery("/api/why", { target: sha, project }));
  useTitle(`Commit ${shortSha(sha)}`);
  const empty = {
    title: project === undefined ? "No project has this commit" : "This repository has no such commit",
    text: "It may be in another project. See [all files](/files).",
  };
  return (
    <PageFrame title={<code>{shortSha(sha)}</code>} crumbs={<a href="/files">Files</a>}>
      <Loaded from={commit} empty={empty}>
        {({ data: { results } }) => (
          <>
            <h2>{results[0]?.subject}</h2>
            <p class="meta">
              <span>{results[0]?.author}</span>
              {results[0]?.committed_at != null && <Time at={results[0].committed_at} />}
            </p>
            <ol class="timeline stack">
              {results.map((reason) => (
                <li key={reason.session_id ?? ""}>
                  {reason.session_id === null ? <p class="muted">No recorded session.</p> : <Behind reason={reason} />}
                </li>
              ))}
            </ol>
          </>
        )}
      </Loaded>
    </PageFrame>
  );
}

const BASES: Readonly<Record<string, string>> = {
  output: "made in the session",
  trailer: "the commit names the session",
  rewritten: "amended or rebased",
  lines: "by lines in common",
  files: "by files and time",
  mention: "the session names the commit",
  "pull-request": "the session opened its pull request",
};

function Behind({ reason }: { reason: Reason }) {
  return (
    <>
      <p class="one-line">
        <a href={sessionPath(reason.session_id ?? "", reason.prompt_id)}>{reason.title ?? "(untitled)"}</a>
      </p>
      {reason.prompt !== null && <p class="muted">{reason.prompt}</p>}
      {reason.result !== null && <p>{reason.result}</p>}
      <p class="meta num">
        <span>{reason.agent}</span>
        <span>{BASES[reason.basis] ?? reason.basis}</span>
        <Certainty value={reason.confidence} />
      </p>
    </>
  );
}
