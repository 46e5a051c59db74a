// How it is: every check and how to mend what fails, what waits, what went wrong lately.
import { useEffect } from "preact/hooks";
import { asApiError, send, useLoad } from "../api.ts";
import { Badge, type Tone } from "../components/badge.tsx";
import { WithCode } from "../components/code.tsx";
import { Loaded } from "../components/loaded.tsx";
import { Time } from "../components/time.tsx";
import { toast } from "../components/toast.tsx";
import { count } from "../format.ts";
import { onLive } from "../stream.ts";
import type { Check, LogLine, WorkerState } from "../wire.ts";
import "./health.css";

const TONES: Record<Check["state"], Tone> = { ok: "good", warn: "warn", fail: "bad" };
/** What needs somebody stands first. */
const ORDER: Record<Check["state"], number> = { fail: 0, warn: 1, ok: 2 };

export function Health() {
  const checks = useLoad<{ results: Check[]; healthy: boolean }>(() => "/api/health");
  return (
    <div class="page">
      <header class="page-head">
        <h1>Health</h1>
        <button class="button" onClick={checks.reload}>
          Check again
        </button>
      </header>
      <div class="health-columns">
        <section>
          <h2>Checks</h2>
          <Loaded from={checks}>
            {({ data }) => (
              <ul class="checks">
                {data.results
                  .toSorted((a, b) => ORDER[a.state] - ORDER[b.state])
                  .map(({ name, state, message, fix }) => (
                    <li key={name}>
                      <Badge tone={TONES[state]}>{state}</Badge>
                      <div>
                        <strong>{name}</strong>
                        <p>
                          <WithCode text={message} />
                        </p>
                        {fix !== undefined && (
                          <p class="fix">
                            <WithCode text={fix} />
                          </p>
                        )}
                      </div>
                    </li>
                  ))}
              </ul>
            )}
          </Loaded>
        </section>
        <div>
          <Work />
          <Log />
        </div>
      </div>
    </div>
  );
}

function Work() {
  const worker = useLoad<WorkerState>(() => "/api/jobs");
  useEffect(() => onLive(({ kind }) => kind === "processing_status" && worker.reload()), []);
  const retry = async (key?: string): Promise<void> => {
    try {
      const { data } = await send<{ retried: number }>("POST", "/api/jobs/retry", key === undefined ? {} : { key });
      toast(`${count(data.retried, "job")} will be tried again.`);
      worker.reload();
    } catch (error) {
      toast(asApiError(error).message);
    }
  };
  return (
    <section>
      <h2>Background work</h2>
      <Loaded from={worker}>
        {({ data }) => (
          <>
            <p class="num">
              {count(data.jobs.pending, "job")} waiting, {data.jobs.running} running, {data.jobs.failed} failed;{" "}
              {count(data.spool.waiting, "event")} to take in
              {data.spool.bad > 0 && `, ${data.spool.bad} that could not be read`}.
            </p>
            <p class="muted num">
              Version {data.version ?? "unknown"}, process {data.pid ?? "none"}
              {data.started_at !== null && (
                <>
                  , started <Time at={data.started_at} />
                </>
              )}
              .
            </p>
            {data.troubled.length > 0 && (
              <>
                <ul class="troubled">
                  {data.troubled.map((job) => (
                    <li key={job.key}>
                      <p>
                        <Badge tone={job.status === "failed" ? "bad" : "warn"}>{job.status}</Badge>{" "}
                        <code>{job.key}</code>
                      </p>
                      <p class="muted">
                        {job.last_error} ({count(job.attempts, "try", "tries")})
                      </p>
                      <button class="button" onClick={() => void retry(job.key)}>
                        Try again
                      </button>
                    </li>
                  ))}
                </ul>
                <button class="button" onClick={() => void retry()}>
                  Try all again
                </button>
              </>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Log() {
  const log = useLoad<{ results: LogLine[] }>(() => "/api/logs?lines=60");
  return (
    <section>
      <h2>What the worker wrote</h2>
      <Loaded from={log} empty={<p class="muted">Nothing yet.</p>}>
        {({ data }) => (
          <ol class="log" tabIndex={0}>
            {data.results.toReversed().map((line, index) => (
              <li key={index}>
                <Time at={line.at} as="clock" /> {line.message}
              </li>
            ))}
          </ol>
        )}
      </Loaded>
    </section>
  );
}
