// A session that matches, with the snippet that matched. It opens in place.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { search } from "../../../queries/search.ts";
import type { transcript } from "../../../queries/session-items.ts";
import { type RowOf, useLoad } from "../../api.ts";
import { Loaded, Skeleton } from "../../components/page.tsx";
import { MarkedText, Time } from "../../components/text.tsx";
import { sessionPath, setQuery, withQuery } from "../../router.ts";
import { ItemRow } from "../session/row.tsx";

const KINDS: Readonly<Record<string, string>> = {
  prompt: "You",
  message: "Answer",
  thinking: "Thinking",
  tool: "Tool",
  file: "File",
  session: "Title",
};
type Finding = RowOf<typeof search>;

/** Items shown around the one that matched. */
const AROUND = 5;

export function Result({ finding, isOpen }: { finding: Finding; isOpen: boolean }) {
  const root = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isOpen) root.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  return (
    <li class="result" ref={root}>
      <button
        class="row outset result-head cells may-wrap"
        aria-expanded={isOpen}
        onClick={() => setQuery({ open: isOpen ? undefined : (finding.item ?? undefined) })}
      >
        <strong class="ellipsis">{finding.title ?? "(untitled)"}</strong>
        <span class="meta">
          <span>{finding.project}</span>
          <span>{finding.agent}</span>
          <Time at={finding.at} />
        </span>
        <span class="snippet muted clamp">
          <span class="snippet-kind faint small">{KINDS[finding.kind] ?? finding.kind}</span>
          <MarkedText text={finding.snippet} marks={finding.marks} />
        </span>
      </button>
      {isOpen && <Preview finding={finding} />}
    </li>
  );
}

function Preview({ finding }: { finding: Finding }) {
  const { session_id: session, item: match } = finding;
  const open = useSignal<ReadonlySet<string>>(new Set(match === null ? [] : [match]));
  const around = useLoad<typeof transcript>(() =>
    withQuery(`/api/sessions/${encodeURIComponent(session)}/transcript`, { around: match ?? undefined, limit: AROUND }),
  );
  return (
    <div class="preview card">
      <Loaded from={around} skeleton={<Skeleton lines={6} />}>
        {({ data }) =>
          data.results.map((item) => {
            // Subagents and commits have no id here.
            const id = ("id" in item && item.id) || `at-${item.index}`;
            return (
              <div key={id} class={id === match ? "entry is-match" : "entry"}>
                <ItemRow item={{ ...item, id }} turn={item.turn} sessionId={session} open={open} />
              </div>
            );
          })
        }
      </Loaded>
      <a class="button" href={sessionPath(session, match)}>
        Open in session
      </a>
    </div>
  );
}
