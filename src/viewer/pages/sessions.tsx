// All sessions, grouped by day, newest first.
import type { list } from "../../queries/list.ts";
import type { RowOf } from "../api.ts";
import { FilterBar, useList } from "../components/filters.tsx";
import { Loaded, PageFrame } from "../components/page.tsx";
import { Badge, RowsByDay, Time } from "../components/text.tsx";
import { count } from "../format.ts";
import { sessionPath } from "../router.ts";

export function Page() {
  const sessions = useList<typeof list>("/api/sessions");
  const empty = {
    title: "No sessions match",
    text: "Change the filters, or run `c-mem sync` to import sessions from before C-Mem was installed.",
  };
  return (
    <PageFrame title="Sessions">
      <FilterBar />
      <Loaded from={sessions} empty={empty}>
        {({ data }) => (
          <RowsByDay rows={data.results} timeOf={({ last_at: at }) => at}>
            {(session) => <SessionLine key={session.session_id} session={session} />}
          </RowsByDay>
        )}
      </Loaded>
    </PageFrame>
  );
}

function SessionLine({ session }: { session: RowOf<typeof list> }) {
  const { title, subtitle, status } = session;
  return (
    <li>
      <a class="row outset session-line cells" href={sessionPath(session.session_id)}>
        <Time at={session.last_at} as="clock" />
        <span class="session-name inline one-line">
          <span class="ellipsis">{title ?? subtitle ?? "(untitled)"}</span>
          {title !== null && <span class="ellipsis faint">{subtitle}</span>}
        </span>
        <span class="meta num">
          {status === "active" && <Badge tone="good">active</Badge>}
          {status === "failed" && <Badge tone="bad">failed</Badge>}
          <span>{session.project}</span>
          <span>{session.agent}</span>
          <span>{count(session.prompts, "prompt")}</span>
        </span>
      </a>
    </li>
  );
}
