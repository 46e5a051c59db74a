// How the worker is, what waits for it, and what today came to.
import { useSignalEffect } from "@preact/signals";
import { useLoad } from "../../api.ts";
import { Time } from "../../components/time.tsx";
import { count, withCommas } from "../../format.ts";
import { connection, missed, queue } from "../../stream.ts";
import type { WorkerState } from "../../wire.ts";

interface Totals {
  sessions: number;
  prompts: number;
  tool_uses: number;
  failed_tool_uses: number;
  files_changed: number;
  lines_added: number;
  lines_removed: number;
  commits: number;
}

export function State({ round }: { round: number }) {
  const worker = useLoad<WorkerState>(() => "/api/jobs");
  const today = useLoad<{ totals: Totals }>(() => `/api/stats?since=${startOfToday()}`);
  useSignalEffect(() => {
    if (missed.value > 0) worker.reload();
  });
  // Counted again as the list is: `round` counts how often.
  void round;
  const state = worker.load.value.reply?.data;
  const jobs = queue.value ?? state?.jobs;
  const totals = today.load.value.reply?.data.totals;
  return (
    <aside class="state" aria-label="State">
      <section>
        <h2>Worker</h2>
        <p class="state-line">
          <span
            class={`dot ${state?.running === true || connection.value === "live" ? "good" : "off"}`}
            aria-hidden="true"
          />
          {connection.value !== "live" && state?.running !== true
            ? "Not reachable"
            : state?.started_at === null || state === undefined
              ? "Running"
              : "Running since "}
          {state?.started_at !== null && state?.started_at !== undefined && <Time at={state.started_at} />}
        </p>
        {jobs !== undefined && (
          <dl class="numbers">
            <Number name="waiting" value={jobs.pending} />
            <Number name="at work" value={jobs.running} />
            <Number name="failed" value={jobs.failed} isBad={jobs.failed > 0} />
          </dl>
        )}
        {(state?.spool.waiting ?? 0) > 0 && (
          <p class="muted">{count(state?.spool.waiting ?? 0, "event")} in the spool</p>
        )}
      </section>
      <section>
        <h2>Today</h2>
        <dl class="numbers">
          <Number name="sessions" value={totals?.sessions ?? 0} />
          <Number name="prompts" value={totals?.prompts ?? 0} />
          <Number name="tool uses" value={totals?.tool_uses ?? 0} />
          <Number name="files" value={totals?.files_changed ?? 0} />
          <Number name="commits" value={totals?.commits ?? 0} />
        </dl>
      </section>
    </aside>
  );
}

function Number({ name, value, isBad = false }: { name: string; value: number; isBad?: boolean }) {
  return (
    <div class={isBad ? "is-bad" : ""}>
      <dt>{name}</dt>
      <dd class="num">{withCommas(value)}</dd>
    </div>
  );
}

function startOfToday(): string {
  return new Date(new Date().setHours(0, 0, 0, 0)).toISOString();
}
