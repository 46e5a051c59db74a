// What a session is about: where, when, with what, and what it came to.
import { useSignal } from "@preact/signals";
import { Badge } from "../../components/badge.tsx";
import { Time } from "../../components/time.tsx";
import { toast } from "../../components/toast.tsx";
import { count, duration } from "../../format.ts";
import type { Session, Summary } from "../../wire.ts";

export function SessionHeader({
  session,
  summary,
  resume,
}: {
  session: Session;
  summary: Summary | null;
  resume: string | null;
}) {
  const took = Date.parse(session.last_at) - Date.parse(session.started_at);
  return (
    <header class="session-head">
      <p class="crumbs">
        <a href="/sessions">Sessions</a>
        <span aria-hidden="true">/</span>
        <a href={`/sessions?project=${encodeURIComponent(session.project_key)}`}>{session.project}</a>
        {session.parent_session_id !== null && (
          <>
            <span aria-hidden="true">/</span>
            <a href={`/sessions/${encodeURIComponent(session.parent_session_id)}`}>Main session</a>
          </>
        )}
      </p>
      <h1>{session.title ?? session.subtitle ?? "(untitled)"}</h1>
      {session.subtitle !== null && session.title !== null && <p class="subtitle">{session.subtitle}</p>}
      <ul class="facts">
        <li>
          <Time at={session.started_at} />
          {took > 0 && `, ${duration(took)}`}
        </li>
        <li>{[session.agent, session.model].filter(Boolean).join(", ")}</li>
        {session.git_branch !== null && session.git_branch !== "" && (
          <li>
            <code>{session.git_branch}</code>
          </li>
        )}
        <li class="num">{count(session.prompts, "prompt")}</li>
        <li class="num">{count(session.tool_uses, "tool use")}</li>
        <li class="num">{count(session.files_changed, "file")} changed</li>
        {session.status !== "completed" && (
          <li>
            <Badge tone={session.status === "active" ? "good" : "warn"}>{session.status}</Badge>
          </li>
        )}
      </ul>
      <div class="session-actions">
        {resume !== null && (
          <button class="button quiet" title={resume} onClick={() => void copy(resume)}>
            Copy the command to resume
          </button>
        )}
        <a class="button quiet" href={`/api/export/${encodeURIComponent(session.session_id)}?format=md&download=1`}>
          Export as Markdown
        </a>
      </div>
      {summary !== null && <SummaryFields summary={summary} />}
    </header>
  );
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast("Copied.");
  } catch {
    // The browser may not allow it; then it can at least be read.
    toast(text);
  }
}

const FIELDS = [
  ["request", "Asked"],
  ["investigated", "Looked into"],
  ["learned", "Learned"],
  ["completed", "Done"],
  ["next_steps", "Next"],
  ["notes", "Notes"],
] as const;

/** So much of a field fits into the lines it is given at first. */
const SHORT_CHARS = 170;

export function SummaryFields({ summary }: { summary: Summary }) {
  const filled = FIELDS.filter(([field]) => summary[field].trim() !== "");
  const isWhole = useSignal(false);
  if (filled.length === 0) return null;
  const isLong = filled.some(([field]) => summary[field].length > SHORT_CHARS);
  return (
    <section class={isWhole.value || !isLong ? "summary" : "summary is-short"} aria-label="What it came to">
      <dl>
        {filled.map(([field, label]) => (
          <div key={field}>
            <dt>{label}</dt>
            <dd>{summary[field]}</dd>
          </div>
        ))}
      </dl>
      {isLong && (
        <button class="more" aria-expanded={isWhole.value} onClick={() => (isWhole.value = !isWhole.value)}>
          {isWhole.value ? "Show less" : "Show all of it"}
        </button>
      )}
    </section>
  );
}
