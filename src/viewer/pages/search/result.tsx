// A session in the search results, with the matching snippet. A click shows the items around the match.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { search } from "../../../queries/search.ts";
import type { transcript } from "../../../queries/session-items.ts";
import { type RowOf, useLoad } from "../../api.ts";
import { Loaded, Skeleton } from "../../components/page.tsx";
import { MarkedText, Time } from "../../components/text.tsx";
import { sessionPath, setQuery, withQuery } from "../../router.ts";
import { ItemRow } from "../session/row.tsx";

const KIND_LABELS: Readonly<Record<string, string>> = {
  prompt: "You",
  message: "Answer",
  thinking: "Thinking",
  tool: "Tool",
  file: "File",
  session: "Title",
};
type SearchResult = RowOf<typeof search>;

/** How many items are shown around the match. */
const ITEMS_AROUND = 5;

export function Result({ result, isOpen }: { result: SearchResult; isOpen: boolean }) {
  const root = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isOpen) root.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  return (
    <li class="result" ref={root}>
      <button
        class="row outset result-head cells may-wrap"
        aria-expanded={isOpen}
        onClick={() => setQuery({ open: isOpen ? undefined : (result.item ?? undefined) })}
      >
        <strong class="ellipsis">{result.title ?? "(untitled)"}</strong>
        <span class="meta">
          <span>{result.project}</span>
          <span>{result.agent}</span>
          <Time at={result.at} />
        </span>
        <span class="snippet muted clamp">
          <span class="snippet-kind faint small">{KIND_LABELS[result.kind] ?? result.kind}</span>
          <MarkedText text={result.snippet} marks={result.marks} />
        </span>
      </button>
      {isOpen && <Preview result={result} />}
    </li>
  );
}

function Preview({ result }: { result: SearchResult }) {
  const { session_id: session, item: match } = result;
  const open = useSignal<ReadonlySet<string>>(new Set(match === null ? [] : [match]));
  const around = useLoad<typeof transcript>(() =>
    withQuery(`/api/sessions/${encodeURIComponent(session)}/transcript`, {
      around: match ?? undefined,
      limit: ITEMS_AROUND,
    }),
  );
  return (
    <div class="preview card">
      <Loaded from={around} skeleton={<Skeleton lines={6} />}>
        {({ data }) =>
          data.results.map((item) => {
            // In this reply, subagents and commits have no id.
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
