// One turn: its prompt, its outcome, and the observations derived from it.
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { observations } from "../../../queries/observations.ts";
import type { timeline } from "../../../queries/timeline.ts";
import type { RowOf } from "../../api.ts";
import { Icon } from "../../components/icon.tsx";
import { ChangedLines, Time, TypeBadge } from "../../components/text.tsx";
import { count, duration } from "../../format.ts";
import { sessionPath } from "../../router.ts";
import { onLive } from "../../stream.ts";

interface TurnCardProps {
  turn: RowOf<typeof timeline>;
  learned: readonly RowOf<typeof observations>[];
  isFresh: boolean;
}

export function TurnCard({ turn, learned, isFresh }: TurnCardProps) {
  return (
    <li class={isFresh ? "turn-card line-below is-fresh" : "turn-card line-below"}>
      <div class="turn-inside cells may-wrap">
        <Time at={turn.at} as="clock" />
        <div>
          <a class="turn-prompt clamp" href={sessionPath(turn.session_id, turn.id)}>
            {turn.prompt}
          </a>
          <p class="turn-session meta one-line">
            <strong class="ellipsis">{turn.project}</strong>
            <span>{turn.agent}</span>
            <a class="ellipsis" href={sessionPath(turn.session_id)}>
              {turn.title ?? "(untitled)"}
            </a>
          </p>
          <Outcome turn={turn} />
          {learned.length > 0 && (
            <ul class="learned stack tight" aria-label="Learned">
              {learned.map(({ id, type, title }) => (
                <li key={id}>
                  <a class="cells may-wrap small" href={sessionPath(turn.session_id, id)}>
                    <TypeBadge type={type} />
                    <span>{title}</span>
                  </a>
                </li>
              ))}
            </ul>
          )}
        </div>
      </div>
    </li>
  );
}

/** Always one line, so that the cards below do not move while the turn runs. */
function Outcome({ turn }: Pick<TurnCardProps, "turn">) {
  const { status, files, commits, ended_at: end } = turn;
  const live = toolCounts.value.get(turnKey(turn.session_id, turn.turn));
  const failed = Math.max(turn.failed.length, live?.failed ?? 0);
  return (
    <p class="meta outcome num">
      {status === "running" && (
        <span class="inline running">
          <span class="dot" aria-hidden="true" />
          {live === undefined ? "Running" : count(live.uses, "tool use")}
        </span>
      )}
      {status !== "running" && end !== null && <span>{duration(Date.parse(end) - Date.parse(turn.at))}</span>}
      {status === "interrupted" && <span class="is-bad">Interrupted</span>}
      {files.length > 0 && (
        <span>
          {count(files.length, "file")}{" "}
          <ChangedLines
            added={files.reduce((sum, { added }) => sum + added, 0)}
            removed={files.reduce((sum, { removed }) => sum + removed, 0)}
          />
        </span>
      )}
      {commits.length > 0 && (
        <span class="inline">
          <Icon name="commit" />
          {commits.at(-1)?.subject}
        </span>
      )}
      {failed > 0 && <span class="is-bad">{failed} failed</span>}
      {status === "running" && <code class="ellipsis">{live?.last}</code>}
    </p>
  );
}

/** Tool uses counted from live events, by `turnKey`. */
const toolCounts = signal<ReadonlyMap<string, { uses: number; failed: number; last: string }>>(new Map());
const MAX_TURNS = 200;

export function turnKey(sessionId: unknown, turn: unknown): string {
  return `${String(sessionId)} ${String(turn)}`;
}

export function useToolCounts(): void {
  useEffect(
    () =>
      onLive(({ kind, data }) => {
        if (kind !== "tool_use") return;
        const key = turnKey(data["parent_session_id"] ?? data["session_id"], data["prompt_number"]);
        const before = toolCounts.peek().get(key) ?? { uses: 0, failed: 0 };
        const others = [...toolCounts.peek()].filter(([each]) => each !== key).slice(1 - MAX_TURNS);
        const latest = {
          uses: before.uses + 1,
          failed: before.failed + (data["is_error"] === true ? 1 : 0),
          last: `${String(data["name"])} ${String(data["subject"] ?? "")}`.trim(),
        };
        toolCounts.value = new Map([...others, [key, latest]]);
      }),
    [],
  );
}
