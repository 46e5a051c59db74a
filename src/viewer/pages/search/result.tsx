// A session that fits, with the place that shows why; it opens in place.
import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useLoad } from "../../api.ts";
import { Loaded } from "../../components/loaded.tsx";
import { MarkedText } from "../../components/marked-text.tsx";
import { Skeleton } from "../../components/skeleton.tsx";
import { Time } from "../../components/time.tsx";
import { setQuery, withQuery } from "../../router.ts";
import type { Finding, TranscriptItem } from "../../wire.ts";
import { ItemRow, type RowActions } from "../session/row.tsx";
import "../session/session.css";

const KINDS: Readonly<Record<string, string>> = {
  prompt: "You",
  message: "Answer",
  thinking: "Thinking",
  tool: "Tool",
  file: "File",
  session: "Title",
};
/** Items shown with the one that was found. */
const AROUND = 5;

export function Result({ finding, isOpen }: { finding: Finding; isOpen: boolean }) {
  const own = useRef<HTMLLIElement>(null);
  useEffect(() => {
    if (isOpen) own.current?.scrollIntoView({ block: "nearest" });
  }, [isOpen]);
  return (
    <li class={isOpen ? "result is-open" : "result"} ref={own}>
      <button
        class="result-head"
        aria-expanded={isOpen}
        onClick={() => setQuery({ open: isOpen ? undefined : (finding.item ?? undefined) })}
      >
        <span class="result-title">{finding.title ?? "(untitled)"}</span>
        <span class="result-where">
          {finding.project} <span aria-hidden="true">·</span> {finding.agent} <span aria-hidden="true">·</span>{" "}
          <Time at={finding.at} />
        </span>
        <span class="snippet">
          <span class="snippet-kind">{KINDS[finding.kind] ?? finding.kind}</span>
          <MarkedText text={finding.snippet} marks={finding.marks} />
        </span>
      </button>
      {isOpen && <Preview finding={finding} />}
    </li>
  );
}

function Preview({ finding }: { finding: Finding }) {
  const open = useSignal<ReadonlySet<string>>(new Set(finding.item === null ? [] : [finding.item]));
  const id = encodeURIComponent(finding.session_id);
  const around = useLoad<{ results: (TranscriptItem & { turn: number })[] }>(() =>
    withQuery(`/api/sessions/${id}/transcript`, { around: finding.item ?? undefined, limit: AROUND }),
  );
  const actions: RowActions = {
    sessionId: finding.session_id,
    isOpen: (item) => open.value.has(item),
    toggle: (item) => {
      const next = new Set(open.value);
      if (!next.delete(item)) next.add(item);
      open.value = next;
    },
  };
  return (
    <div class="preview">
      <Loaded from={around} skeleton={<Skeleton lines={6} class="row" />}>
        {({ data }) => (
          <>
            {data.results.map((item, index) => (
              <div key={item.id ?? index} class={item.id === finding.item ? "entry of-found" : "entry"}>
                <ItemRow item={{ ...item, id: item.id ?? `r${index}` }} turn={item.turn} actions={actions} />
              </div>
            ))}
          </>
        )}
      </Loaded>
      <a class="button" href={`/sessions/${id}${finding.item === null ? "" : `#${finding.item}`}`}>
        Read on in the session
      </a>
    </div>
  );
}
