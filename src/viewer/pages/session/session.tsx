// The page of one session.
import { useComputed } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { outline as outlineQuery } from "../../../queries/session-items.ts";
import type { session } from "../../../queries/session.ts";
import { useLoad } from "../../api.ts";
import { useTitle } from "../../components/hooks.ts";
import { Loaded, Skeleton } from "../../components/page.tsx";
import type { PageProps } from "../../routes.ts";
import { useLive } from "../../stream.ts";
import { SessionHeader } from "./header.tsx";
import { createItems } from "./items.ts";
import type { Observation } from "./notes.tsx";
import { readOutline } from "./outline.ts";
import { Transcript } from "./transcript.tsx";

const NONE: readonly Observation[] = [];
/** Longer than the default: in a busy session many tools run per second. */
const LIVE_PAUSE_MS = 700;

export function DetailPage({ id }: PageProps) {
  const path = `/api/sessions/${encodeURIComponent(id)}`;
  const head = useLoad<typeof session>(() => path);
  const entries = useLoad<typeof outlineQuery>(() => `${path}/outline`);
  const items = useMemo(() => createItems(id), []);
  const outline = useComputed(() => readOutline(entries.load.value.reply?.data.results ?? []));
  useLive(
    () => {
      head.reload();
      entries.reload();
    },
    ({ data }) => data["session_id"] === id || data["parent_session_id"] === id,
    LIVE_PAUSE_MS,
  );
  const { reply, error } = head.load.value;
  useTitle(reply && (reply.data.title ?? "Session"));
  return (
    <div class="page session">
      <Loaded from={head} skeleton={<Skeleton lines={5} class="session-head" />}>
        {({ data }) => <SessionHeader session={data} />}
      </Loaded>
      {error === undefined && (
        <Loaded from={entries} skeleton={<Skeleton lines={8} />} empty={{ title: "This session is empty" }}>
          {() => (
            <Transcript id={id} outline={outline.value} items={items} observations={reply?.data.observations ?? NONE} />
          )}
        </Loaded>
      )}
    </div>
  );
}
