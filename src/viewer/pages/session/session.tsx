// A whole session, readable from its first prompt to its last answer, however long it is.
import { useComputed, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { useLoad } from "../../api.ts";
import { Empty } from "../../components/empty.tsx";
import { ErrorBox } from "../../components/error-box.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import type { PageProps } from "../../routes.ts";
import { missed, onLive } from "../../stream.ts";
import { useTitle } from "../../title.ts";
import type { Observation, Session as SessionWire, Summary } from "../../wire.ts";
import { SessionHeader } from "./header.tsx";
import { createItems } from "./items.ts";
import { readOutline, type WireEntry } from "./outline.ts";
import { Transcript } from "./transcript.tsx";
import "./session.css";

type Head = SessionWire & { summary: Summary | null; observations: Observation[]; resume: string | null };

export function Session({ id }: PageProps) {
  const path = `/api/sessions/${encodeURIComponent(id)}`;
  const head = useLoad<Head>(() => path);
  const outline = useLoad<{ results: WireEntry[] }>(() => `${path}/outline`);
  const items = useMemo(() => createItems(id), [id]);
  const list = useComputed(() => {
    const { reply } = outline.load.value;
    return reply === undefined ? undefined : readOutline(reply.data.results);
  });

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onLive(({ data }) => {
      if (data["session_id"] !== id && data["parent_session_id"] !== id) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        for (const each of [head, outline]) each.reload();
      }, LIVE_PAUSE_MS);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [id]);
  useSignalEffect(() => {
    if (missed.value > 0) outline.reload();
  });
  const told = head.load.value.reply?.data;
  useTitle(told && (told.title ?? "Session"));

  const { error } = outline.load.value;
  return (
    <div class="page session">
      <Loaded from={head} skeleton={<HeadSkeleton />}>
        {({ data }) => <SessionHeader session={data} summary={data.summary} resume={data.resume} />}
      </Loaded>
      {list.value === undefined ? (
        error !== undefined && head.load.value.error === undefined ? (
          <ErrorBox error={error} retry={outline.reload} />
        ) : (
          error === undefined && <Skeleton lines={8} class="row" />
        )
      ) : list.value.entries.length === 0 ? (
        <Empty title="Nothing was said or done in it" />
      ) : (
        <Transcript
          id={id}
          outline={list.value}
          items={items}
          observations={head.load.value.reply?.data.observations ?? NONE}
        />
      )}
    </div>
  );
}

const NONE: readonly Observation[] = [];
/** A busy session tells of many things a second: it is looked at anew when it draws breath. */
const LIVE_PAUSE_MS = 700;

function HeadSkeleton() {
  return (
    <div class="session-head">
      <Skeleton lines={5} />
    </div>
  );
}
