// One turn: what was asked, what came of it, what was learned.
import { TypeBadge } from "../../components/badge.tsx";
import { Icon } from "../../components/icon.tsx";
import { Time } from "../../components/time.tsx";
import { count, duration } from "../../format.ts";
import type { Observation, TimelineTurn } from "../../wire.ts";
import { doing, turnKey } from "./activity.ts";

export function TurnCard({
  turn,
  learned,
  isFresh,
}: {
  turn: TimelineTurn;
  learned: readonly Observation[];
  isFresh: boolean;
}) {
  const session = `/sessions/${encodeURIComponent(turn.session_id)}`;
  return (
    <li class={isFresh ? "turn-card is-fresh" : "turn-card"}>
      <div class="turn-inside">
        <Time at={turn.at} as="clock" />
        <div class="turn-main">
          <a class="asked" href={`${session}#${turn.id}`}>
            {turn.prompt}
          </a>
          <p class="turn-where">
            <span class="project">{turn.project}</span>
            <span>{turn.agent}</span>
            <a href={session}>{turn.title ?? "(untitled)"}</a>
          </p>
          <Outcome turn={turn} />
          {learned.length > 0 && (
            <ul class="learned" aria-label="Learned">
              {learned.map((observation) => (
                <li key={observation.id}>
                  <a href={`${session}#${observation.id}`}>
                    <TypeBadge type={observation.type} />
                    <span>{observation.title}</span>
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

/** One line from the first moment on, so that a turn that goes on does not push the others about. */
function Outcome({ turn }: { turn: TimelineTurn }) {
  const now = doing.value.get(turnKey(turn.session_id, turn.turn));
  const added = turn.files.reduce((sum, file) => sum + file.added, 0);
  const removed = turn.files.reduce((sum, file) => sum + file.removed, 0);
  const failed = Math.max(turn.failed.length, now?.failed ?? 0);
  return (
    <p class="outcome num">
      {turn.status === "running" ? (
        <span class="running">
          <span class="dot" aria-hidden="true" />
          {now === undefined ? "At work" : count(now.uses, "tool use")}
        </span>
      ) : (
        turn.ended_at !== null && <span>{duration(Date.parse(turn.ended_at) - Date.parse(turn.at))}</span>
      )}
      {turn.status === "interrupted" && <span class="failed">Interrupted</span>}
      {turn.files.length > 0 && (
        <span>
          {count(turn.files.length, "file")} <span class="added">+{added}</span> <span class="removed">−{removed}</span>
        </span>
      )}
      {turn.commits.length > 0 && (
        <span class="with-icon">
          <Icon name="commit" />
          {turn.commits.at(-1)?.subject}
        </span>
      )}
      {failed > 0 && <span class="failed">{failed} failed</span>}
      {turn.status === "running" && now !== undefined && <code class="gist">{now.last}</code>}
    </p>
  );
}
