// The worker's state, its job queue, and today's totals.
import { useLoad } from "../../api.ts";
import { Time } from "../../components/time.tsx";
import { count, withCommas } from "../../format.ts";
import { connection, queue, useLive } from "../../stream.ts";
import type { Stats, WorkerState } from "../../wire.ts";

/** Counting today's totals reads the whole day. */
const COUNT_PAUSE_MS = 3_000;

export function Status() {
  const worker = useLoad<WorkerState>(() => "/api/jobs");
  const today = useLoad<Pick<Stats, "totals">>(
    () => `/api/stats?since=${new Date(new Date().setHours(0, 0, 0, 0)).toISOString()}`,
  );
  useLive(worker.reload, () => false);
  useLive(today.reload, ({ kind }) => kind !== "processing_status", COUNT_PAUSE_MS);
  const state = worker.load.value.reply?.data;
  const jobs = queue.value ?? state?.jobs;
  const isRunning = connection.value === "live" || (connection.value === "connecting" && state?.running === true);
  const waiting = state?.spool.waiting ?? 0;
  const totals = today.load.value.reply?.data.totals;
  return (
    <aside class="status" aria-label="Status">
      <section>
        <h2>Worker</h2>
        <p class="worker-state">
          <span class={isRunning ? "dot good" : "dot warn"} aria-hidden="true" />
          {isRunning ? "Running" : "Not reachable"}
          {isRunning && typeof state?.started_at === "string" && (
            <span class="muted">
              started <Time at={state.started_at} />
            </span>
          )}
        </p>
        <dl class="numbers">
          <Row name="waiting" value={jobs?.pending} />
          <Row name="running" value={jobs?.running} />
          <Row name="failed" value={jobs?.failed} isBad={(jobs?.failed ?? 0) > 0} />
        </dl>
        {waiting > 0 && <p class="muted">{count(waiting, "event")} in the spool</p>}
      </section>
      <section>
        <h2>Today</h2>
        <dl class="numbers">
          <Row name="sessions" value={totals?.sessions} />
          <Row name="prompts" value={totals?.prompts} />
          <Row name="tool uses" value={totals?.tool_uses} />
          <Row name="files" value={totals?.files_changed} />
          <Row name="commits" value={totals?.commits} />
        </dl>
      </section>
    </aside>
  );
}

function Row({ name, value = 0, isBad = false }: { name: string; value: number | undefined; isBad?: boolean }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={isBad ? "num is-bad" : "num"}>{withCommas(value)}</dd>
    </div>
  );
}
