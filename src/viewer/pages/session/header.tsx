// The header of a session: title, facts and summary.
import { useSignal } from "@preact/signals";
import type { session as sessionQuery } from "../../../queries/session.ts";
import type { DataOf } from "../../api.ts";
import { Button, ToggleButton } from "../../components/controls.tsx";
import { Badge, Bullets, Time } from "../../components/text.tsx";
import { toast } from "../../components/toast.tsx";
import { count, duration } from "../../format.ts";
import { sessionPath, withQuery } from "../../router.ts";

export type Session = DataOf<typeof sessionQuery>;

export function SessionHeader({ session }: { session: Session }) {
  const { session_id: id, parent_session_id: parent, title, subtitle, status, resume, summary } = session;
  const tookMs = Date.parse(session.last_at) - Date.parse(session.started_at);
  return (
    <header class="session-head">
      <p class="meta crumbs">
        <a href="/sessions">Sessions</a>
        <span aria-hidden="true">/</span>
        <a href={withQuery("/sessions", { project: session.project_key })}>{session.project}</a>
        {parent !== null && <span aria-hidden="true">/</span>}
        {parent !== null && <a href={sessionPath(parent)}>Main session</a>}
      </p>
      <h1>{title ?? subtitle ?? "(untitled)"}</h1>
      {title !== null && <p class="muted">{subtitle}</p>}
      <p class="meta num">
        <span>
          <Time at={session.started_at} />
          {tookMs > 0 && `, ${duration(tookMs)}`}
        </span>
        <span>{[session.agent, session.model].filter(Boolean).join(", ")}</span>
        {session.git_branch && <code>{session.git_branch}</code>}
        <span>{count(session.prompts, "prompt")}</span>
        <span>{count(session.tool_uses, "tool use")}</span>
        <span>{count(session.files_changed, "file")} changed</span>
        {status !== "completed" && <Badge tone={status === "active" ? "good" : "warn"}>{status}</Badge>}
      </p>
      <div class="session-actions inline small">
        {resume !== null && (
          <Button label="Copy resume command" class="button quiet" title={resume} onClick={() => void copy(resume)} />
        )}
        <a class="button quiet" href={`/api/export/${encodeURIComponent(id)}?format=md&download=1`}>
          Export as Markdown
        </a>
      </div>
      {summary !== null && <SummaryCard summary={summary} versions={session.summaries} />}
    </header>
  );
}

async function copy(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    toast("Copied.");
  } catch {
    // If the browser forbids writing to the clipboard, the user can copy the text from the toast.
    toast(text);
  }
}

const FIELDS = {
  request: "Request",
  investigated: "Investigated",
  learned: "Learned",
  completed: "Completed",
  next_steps: "Next steps",
  notes: "Notes",
} as const;

/** About as much text as fits on the two lines of a shortened field. */
const SHORT_CHARS = 170;

interface SummaryProps {
  summary: NonNullable<Session["summary"]>;
  /** The current version first. */
  versions: Session["summaries"];
}

function SummaryCard({ summary, versions }: SummaryProps) {
  const isExpanded = useSignal(false);
  const fields = Object.entries(FIELDS).map(
    ([field, label]) => [label, summary[field as keyof typeof FIELDS]] as const,
  );
  const filled = fields.filter(([, text]) => text.trim() !== "");
  const [current] = versions;
  const handover = current?.handover ?? [];
  if (filled.length === 0 && handover.length === 0) return null;
  const isLong = filled.some(([, text]) => text.length > SHORT_CHARS);
  return (
    <section class="summary card small" aria-label="Summary">
      {handover.length > 0 && (
        <div class="handover">
          <h2>For the next session</h2>
          <Bullets items={handover} />
        </div>
      )}
      <dl class="stack tight">
        {filled.map(([label, text]) => (
          <div key={label} class="cells may-wrap">
            <dt>{label}</dt>
            <dd class={isLong && !isExpanded.value ? "clamp" : ""}>{text}</dd>
          </div>
        ))}
      </dl>
      {current !== undefined && <Author version={current} others={versions.length - 1} />}
      {isLong && (
        <ToggleButton label={isExpanded.value ? "Show less" : "Show more"} class="link-button" isOpen={isExpanded} />
      )}
    </section>
  );
}

/** Who wrote the summary, and when. */
function Author({ version, others }: { version: Session["summaries"][number]; others: number }) {
  const { producer, at, last_turn: lastTurn } = version;
  const author = { extractor: "C-Mem, without a model", agent: "the session's agent" }[producer] ?? producer;
  return (
    <p class="meta small">
      <span>
        Written by {author}, <Time at={at} />
      </span>
      {lastTurn !== null && <span>up to turn {lastTurn}</span>}
      {others > 0 && <span>{count(others, "other version")}</span>}
    </p>
  );
}
