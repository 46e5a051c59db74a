// The worker's state, its job queue, and today's totals.
import type { stats } from "../../../queries/stats.ts";
import type { workerStatus } from "../../../queries/worker.ts";
import { useLoad } from "../../api.ts";
import { Time } from "../../components/text.tsx";
import { count, withCommas } from "../../format.ts";
import { connection, queue, useLive } from "../../stream.ts";

/** Today's totals are reloaded less often, because the worker reads all rows of the day to count them. */
const COUNT_PAUSE_MS = 3_000;

export function Status() {
  const worker = useLoad<typeof workerStatus>(() => "/api/jobs");
  const today = useLoad<typeof stats>(
    () => `/api/stats?since=${new Date(new Date().setHours(0, 0, 0, 0)).toISOString()}`,
  );
  // Reloads only after a reconnection: the live events contain the numbers of the queue.
  useLive(worker.reload, () => false);
  useLive(today.reload, ({ kind }) => kind !== "processing_status", COUNT_PAUSE_MS);
  const state = worker.load.value.reply?.data;
  const jobs = queue.value ?? state?.jobs;
  const isRunning = connection.value === "live" || (connection.value === "connecting" && state?.running === true);
  const waiting = state?.spool.waiting ?? 0;
  const totals = today.load.value.reply?.data.totals;
  return (
    <aside class="status stack loose" aria-label="Status">
      <section class="stack tight">
        <h2>Worker</h2>
        <p class="inline small">
          <span class="dot" style={{ color: isRunning ? "var(--good)" : "var(--warn)" }} aria-hidden="true" />
          {isRunning ? "Running" : "Not reachable"}
          {isRunning && typeof state?.started_at === "string" && (
            <span class="muted">
              started <Time at={state.started_at} />
            </span>
          )}
        </p>
        <Numbers rows={{ waiting: jobs?.pending, running: jobs?.running, failed: jobs?.failed }} />
        {waiting > 0 && <p class="muted">{count(waiting, "event")} in the spool</p>}
      </section>
      <section class="stack tight">
        <h2>Today</h2>
        <Numbers
          rows={{
            sessions: totals?.sessions,
            prompts: totals?.prompts,
            "tool uses": totals?.tool_uses,
            files: totals?.files_changed,
            commits: totals?.commits,
          }}
        />
      </section>
    </aside>
  );
}

function Numbers({ rows }: { rows: Record<string, number | undefined> }) {
  return (
    <dl class="stack tight small">
      {Object.entries(rows).map(([name, value = 0]) => (
        <div key={name} class="split">
          <dt>{name}</dt>
          <dd class={name === "failed" && value > 0 ? "num is-bad" : "num"}>{withCommas(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
