// Checks with their fixes, failed background jobs, and the worker's log.
import type { health } from "../../queries/health.ts";
import type { workerLog, workerStatus } from "../../queries/worker.ts";
import { type RowOf, send, useLoad } from "../api.ts";
import { Button } from "../components/controls.tsx";
import { Loaded, PageFrame } from "../components/page.tsx";
import { Badge, Paragraph, Time, type Tone } from "../components/text.tsx";
import { report } from "../components/toast.tsx";
import { count } from "../format.ts";
import { useLive } from "../stream.ts";

const TONES: Record<RowOf<typeof health>["state"], Tone> = { fail: "bad", warn: "warn", ok: "good" };
/** The order in which checks are shown. */
const STATES = Object.keys(TONES);

export function Page() {
  const checks = useLoad<typeof health>(() => "/api/health");
  const checkAgain = <Button label="Check again" onClick={checks.reload} />;
  return (
    <PageFrame title="Health" actions={checkAgain}>
      <div class="tiles">
        <section>
          <h2>Checks</h2>
          <Loaded from={checks}>
            {({ data }) => (
              <ul class="checks lines">
                {data.results
                  .toSorted((a, b) => STATES.indexOf(a.state) - STATES.indexOf(b.state))
                  .map(({ name, state, message, fix }) => (
                    <li key={name} class="check cells small">
                      <Badge tone={TONES[state]}>{state}</Badge>
                      <div>
                        <strong>{name}</strong>
                        <Paragraph class="muted" text={message} />
                        <Paragraph text={fix} />
                      </div>
                    </li>
                  ))}
              </ul>
            )}
          </Loaded>
        </section>
        <div class="stack loose">
          <Jobs />
          <Log />
        </div>
      </div>
    </PageFrame>
  );
}

function Jobs() {
  const worker = useLoad<typeof workerStatus>(() => "/api/jobs");
  useLive(worker.reload, ({ kind }) => kind === "processing_status");
  const retry = async (key?: string): Promise<void> => {
    if (await report(send("POST", "/api/jobs/retry", { key }), "The worker will retry.")) worker.reload();
  };
  return (
    <section>
      <h2>Background work</h2>
      <Loaded from={worker}>
        {({ data }) => (
          <>
            <p class="num">
              {count(data.jobs.pending, "job")} waiting, {data.jobs.running} running, {data.jobs.failed} failed;{" "}
              {count(data.spool.waiting, "event")} in the spool
              {data.spool.bad > 0 && `, ${data.spool.bad} unreadable`}.
            </p>
            <p class="muted num">
              Version {data.version ?? "unknown"}, process {data.pid ?? "none"}
              {data.started_at !== null && [", started ", <Time key="started" at={data.started_at} />]}.
            </p>
            {data.troubled.length > 0 && (
              <>
                <ul class="stack small">
                  {data.troubled.map(({ key, status, last_error: error, attempts }) => (
                    <li key={key}>
                      <p>
                        <Badge tone={status === "failed" ? "bad" : "warn"}>{status}</Badge> <code>{key}</code>
                      </p>
                      <p class="muted">
                        {error} ({count(attempts, "attempt")})
                      </p>
                      <Button label="Retry" onClick={() => void retry(key)} />
                    </li>
                  ))}
                </ul>
                <Button label="Retry all" onClick={() => void retry()} />
              </>
            )}
          </>
        )}
      </Loaded>
    </section>
  );
}

function Log() {
  const log = useLoad<typeof workerLog>(() => "/api/logs?lines=60");
  return (
    <section>
      <h2>Worker log</h2>
      <Loaded from={log} empty="The log is empty.">
        {({ data }) => (
          <ol class="log tiny muted" tabIndex={0}>
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
