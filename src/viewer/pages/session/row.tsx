// One thing in a session: a prompt, an answer, a tool use, a subagent, a commit.
import type { ComponentChildren } from "preact";
import { Badge } from "../../components/badge.tsx";
import { Icon } from "../../components/icon.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { Time } from "../../components/time.tsx";
import { count, duration, withCommas } from "../../format.ts";
import type { CommitItem, MessageItem, PromptItem, SubagentItem, ToolItem, TranscriptItem } from "../../wire.ts";
import { ToolBody } from "./tool-body.tsx";

export interface RowActions {
  sessionId: string;
  isOpen: (id: string) => boolean;
  toggle: (id: string) => void;
}

export function ItemRow({ item, turn, actions }: { item: TranscriptItem; turn: number; actions: RowActions }) {
  switch (item.kind) {
    case "prompt":
      return <Prompt item={item} turn={turn} actions={actions} />;
    case "message":
      return <Message item={item} actions={actions} />;
    case "tool":
      return <Tool item={item} actions={actions} />;
    case "subagent":
      return <Subagent item={item} actions={actions} />;
    case "commit":
      return <Commit item={item} />;
  }
}

/** A longer prompt (a log that was pasted in) is shown up to here. */
const PROMPT_CHARS = 1_400;

function Prompt({ item, turn, actions }: { item: PromptItem; turn: number; actions: RowActions }) {
  const isLong = item.text.length > PROMPT_CHARS * 1.2;
  const isCut = isLong && !actions.isOpen(item.id);
  return (
    <article class="prompt">
      <header>
        <span class="who">You</span>
        <a class="turn num" href={`#${item.id}`} title="Link to this prompt">
          #{turn}
        </a>
        <Time at={item.at} as="clock" />
      </header>
      <div class="said">{isCut ? `${item.text.slice(0, PROMPT_CHARS).trimEnd()}…` : item.text}</div>
      {isLong && (
        <button class="more" aria-expanded={!isCut} onClick={() => actions.toggle(item.id)}>
          {isCut ? `Show all ${withCommas(item.text.length)} characters` : "Show less"}
        </button>
      )}
    </article>
  );
}

const NOTES = { system: "Note of the agent", summary: "What came before, summed up" } as const;

function Message({ item, actions }: { item: MessageItem; actions: RowActions }) {
  const note = item.role === "system" || item.role === "summary" ? NOTES[item.role] : undefined;
  const isOpen = actions.isOpen(item.id);
  return (
    <article class={note === undefined ? "message" : "message note-of-agent"}>
      {item.thinking !== null && item.thinking !== undefined && item.thinking.trim() !== "" && (
        <>
          <Fold id={item.id} isOpen={isOpen} toggle={actions.toggle} class="thinking">
            <Icon name="thinking" />
            <span>Thinking</span>
            {!isOpen && <span class="gist">{item.thinking.slice(0, 200)}</span>}
          </Fold>
          {isOpen && <div class="thoughts">{item.thinking}</div>}
        </>
      )}
      {note !== undefined && (
        <Fold id={item.id} isOpen={isOpen} toggle={actions.toggle} class="thinking">
          <span>{note}</span>
          {!isOpen && <span class="gist">{item.text.slice(0, 200)}</span>}
        </Fold>
      )}
      {item.text.trim() !== "" && (note === undefined || isOpen) && <Markdown text={item.text} />}
    </article>
  );
}

function Tool({ item, actions }: { item: ToolItem; actions: RowActions }) {
  const isOpen = actions.isOpen(item.id);
  return (
    <article class={item.is_error ? "tool is-error" : "tool"}>
      <Fold id={item.id} isOpen={isOpen} toggle={actions.toggle} class="tool-line">
        {item.is_error && (
          <>
            <Icon name="warning" />
            <span class="hidden">Failed:</span>
          </>
        )}
        <span class="tool-name">{item.name}</span>
        <span class="subject">{item.subject}</span>
        {item.outcome !== "" && <Outcome text={item.outcome} isError={item.is_error} />}
        {(item.duration_ms ?? 0) >= 1_000 && <span class="took num">{duration(item.duration_ms ?? 0)}</span>}
      </Fold>
      {isOpen && <ToolBody id={item.id} sessionId={actions.sessionId} />}
    </article>
  );
}

/** "+12 -3" in the colours of a change; everything else as a badge. */
function Outcome({ text, isError }: { text: string; isError: boolean }) {
  const change = /^(new )?(\+\d+)? ?(-\d+)?$/.exec(text);
  if (change === null) return <Badge tone={isError ? "bad" : "plain"}>{text}</Badge>;
  return (
    <span class="change num">
      {change[1] !== undefined && <span class="muted">new</span>}
      {change[2] !== undefined && <span class="added">{change[2]}</span>}
      {change[3] !== undefined && <span class="removed">{change[3].replace("-", "−")}</span>}
    </span>
  );
}

function Subagent({ item, actions }: { item: SubagentItem; actions: RowActions }) {
  const isOpen = actions.isOpen(item.id);
  const name = item.title ?? item.subtitle ?? "Subagent";
  return (
    <article class="subagent">
      <Fold id={item.id} isOpen={isOpen} toggle={actions.toggle} class="tool-line">
        <Icon name="agent" />
        <span class="tool-name">{name}</span>
        <span class="subject">{count(item.tool_uses, "tool use")}</span>
      </Fold>
      {!isOpen && item.report !== null && item.report.trim() !== "" && (
        <p class="report">{item.report.slice(0, 400)}</p>
      )}
    </article>
  );
}

function Commit({ item }: { item: CommitItem }) {
  return (
    <article class="commit">
      <Icon name="commit" />
      <span class="hidden">Commit</span>
      <code>{item.sha.slice(0, 9)}</code>
      <span>{item.subject}</span>
    </article>
  );
}

function Fold({
  id,
  isOpen,
  toggle,
  class: name,
  children,
}: {
  id: string;
  isOpen: boolean;
  toggle: (id: string) => void;
  class: string;
  children: ComponentChildren;
}) {
  return (
    <button class={`fold ${name}`} aria-expanded={isOpen} onClick={() => toggle(id)}>
      <span class="chevron">
        <Icon name="chevron" />
      </span>
      {children}
    </button>
  );
}
