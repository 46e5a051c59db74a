// How the worker is, what waits for it, and what today came to.
import { type ReadonlySignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useLoad } from "../../api.ts";
import { Time } from "../../components/time.tsx";
import { count, withCommas } from "../../format.ts";
import { connection, missed, queue } from "../../stream.ts";
import type { Stats, WorkerState } from "../../wire.ts";

const COUNT_PAUSE_MS = 3_000;

export function State({ round }: { round: ReadonlySignal<number> }) {
  const worker = useLoad<WorkerState>(() => "/api/jobs");
  const today = useLoad<Pick<Stats, "totals">>(() => `/api/stats?since=${startOfToday()}`);
  useSignalEffect(() => {
    if (missed.value > 0) worker.reload();
  });
  // Counted again after something has happened, now and then: it looks at the whole day.
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useSignalEffect(() => {
    if (round.value === 0) return;
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      today.reload();
    }, COUNT_PAUSE_MS);
  });
  useEffect(() => () => clearTimeout(timer.current), []);
  const state = worker.load.value.reply?.data;
  const jobs = queue.value ?? state?.jobs;
  const isThere = connection.value === "live" || (connection.value === "connecting" && state?.running === true);
  const totals = today.load.value.reply?.data.totals;
  return (
    <aside class="state" aria-label="State">
      <section>
        <h2>Worker</h2>
        <p class="state-line">
          <span class={`dot ${isThere ? "good" : "off"}`} aria-hidden="true" />
          {isThere ? "Running" : "Not reachable"}
          {isThere && typeof state?.started_at === "string" && (
            <span class="muted">
              started <Time at={state.started_at} />
            </span>
          )}
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
