// One item of a session: a prompt, an answer, a tool use, a subagent or a commit.
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { Button } from "../../components/controls.tsx";
import { Icon } from "../../components/icon.tsx";
import { Markdown } from "../../components/markdown.tsx";
import { Badge, Time } from "../../components/text.tsx";
import { count, duration, withCommas } from "../../format.ts";
import type { Item } from "./items.ts";
import { ToolBody } from "./tool-body.tsx";

/** The ids of unfolded items. */
export type OpenItems = Signal<ReadonlySet<string>>;

interface ItemProps<Kind = Item["kind"]> {
  item: Extract<Item, { kind: Kind }>;
  open: OpenItems;
}

interface ItemRowProps extends ItemProps {
  turn: number;
  sessionId: string;
}

export function ItemRow({ item, turn, sessionId, open }: ItemRowProps) {
  switch (item.kind) {
    case "prompt":
      return <Prompt item={item} turn={turn} open={open} />;
    case "message":
      return <Message item={item} open={open} />;
    case "tool":
      return <Tool item={item} sessionId={sessionId} open={open} />;
    case "subagent":
      return <Subagent item={item} open={open} />;
    case "commit":
      return (
        <article class="commit inline small muted">
          <Icon name="commit" />
          <span class="hidden">Commit</span>
          <code>{item.sha.slice(0, 9)}</code>
          <span>{item.subject}</span>
        </article>
      );
  }
}

export function toggle(open: OpenItems, id: string): void {
  const next = new Set(open.peek());
  if (!next.delete(id)) next.add(id);
  open.value = next;
}

/** Longer prompts, such as pasted logs, are cut. */
const MAX_PROMPT_CHARS = 1_400;

function Prompt({ item, turn, open }: ItemProps<"prompt"> & { turn: number }) {
  const isLong = item.text.length > MAX_PROMPT_CHARS * 1.2;
  const isCut = isLong && !open.value.has(item.id);
  return (
    <article class="prompt card">
      <header class="meta num">
        <strong>You</strong>
        <a href={`#${item.id}`} title="Link to this prompt">
          #{turn}
        </a>
        <Time at={item.at} as="clock" />
      </header>
      <div class="as-typed">{isCut ? `${item.text.slice(0, MAX_PROMPT_CHARS).trimEnd()}…` : item.text}</div>
      {isLong && (
        <Button
          label={isCut ? `Show all ${withCommas(item.text.length)} characters` : "Show less"}
          class="link-button"
          aria-expanded={!isCut}
          onClick={() => toggle(open, item.id)}
        />
      )}
    </article>
  );
}

const ROLE_LABELS: Readonly<Record<string, string>> = {
  system: "System message",
  summary: "Summary of earlier context",
};

function Message({ item, open }: ItemProps<"message">) {
  const roleLabel = ROLE_LABELS[item.role];
  const isOpen = open.value.has(item.id);
  return (
    <article class={roleLabel === undefined ? "message" : "message muted"}>
      {(item.thinking ?? "").trim() !== "" && (
        <>
          <Fold id={item.id} open={open} class="outset thinking" gist={item.thinking ?? ""}>
            <Icon name="thinking" />
            <span>Thinking</span>
          </Fold>
          {isOpen && <div class="thoughts side-line as-typed small muted">{item.thinking}</div>}
        </>
      )}
      {roleLabel !== undefined && (
        <Fold id={item.id} open={open} class="outset thinking" gist={item.text}>
          <span>{roleLabel}</span>
        </Fold>
      )}
      {item.text.trim() !== "" && (roleLabel === undefined || isOpen) && <Markdown text={item.text} />}
    </article>
  );
}

function Tool({ item, sessionId, open }: ItemProps<"tool"> & { sessionId: string }) {
  const { is_error: isError, outcome, duration_ms: tookMs } = item;
  return (
    <article class={isError ? "tool is-error" : "tool"}>
      <Fold id={item.id} open={open} class="tool-line">
        {isError && <Icon name="warning" />}
        {isError && <span class="hidden">Failed:</span>}
        <span class="tool-name ellipsis">{item.name}</span>
        <code class="grow ellipsis">{item.subject}</code>
        {outcome !== "" && <Outcome text={outcome} isError={isError} />}
        {tookMs !== null && tookMs >= 1_000 && <span class="tool-detail tiny faint num">{duration(tookMs)}</span>}
      </Fold>
      {open.value.has(item.id) && <ToolBody id={item.id} sessionId={sessionId} />}
    </article>
  );
}

/** Shows "new +12 -3" in the colours of a diff, and any other text as a badge. */
function Outcome({ text, isError }: { text: string; isError: boolean }) {
  const [isChange, isNew, added, removed] = /^(new )?(\+\d+)? ?(-\d+)?$/.exec(text) ?? [];
  if (isChange === undefined) return <Badge tone={isError ? "bad" : undefined}>{text}</Badge>;
  return (
    <span class="tool-detail tiny faint num">
      {isNew} <span class="added">{added}</span> <span class="removed">{removed?.replace("-", "−")}</span>
    </span>
  );
}

function Subagent({ item, open }: ItemProps<"subagent">) {
  return (
    <article class="subagent">
      <Fold id={item.id} open={open} class="tool-line">
        <Icon name="agent" />
        <span class="tool-name ellipsis">{item.title ?? item.subtitle ?? "Subagent"}</span>
        <code class="grow ellipsis">{count(item.tool_uses, "tool use")}</code>
      </Fold>
      {!open.value.has(item.id) && item.report !== null && item.report.trim() !== "" && (
        <p class="report clamp small muted">{item.report.slice(0, 400)}</p>
      )}
    </article>
  );
}

interface FoldProps {
  id: string;
  open: OpenItems;
  class: string;
  /** The beginning of this text is shown while the item is folded. */
  gist?: string;
  children: ComponentChildren;
}

function Fold({ id, open, class: name, gist, children }: FoldProps) {
  const isOpen = open.value.has(id);
  return (
    <button class={`row inline one-line centered fold ${name}`} aria-expanded={isOpen} onClick={() => toggle(open, id)}>
      <Icon name="chevron" />
      {children}
      {gist !== undefined && !isOpen && <span class="grow ellipsis faint">{gist.slice(0, 200)}</span>}
    </button>
  );
}
