// Looking for words in a session: the worker says where they are, however long the session is.
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { get } from "../../api.ts";
import { Icon } from "../../components/icon.tsx";
import { withCommas } from "../../format.ts";
import { highlight } from "./highlight.ts";

const PAUSE_MS = 180;

export function Find({
  sessionId,
  onFound,
  onPlace,
}: {
  sessionId: string;
  /** What is looked for, "" for nothing. */
  onFound: (words: string) => void;
  /** The item to look at. */
  onPlace: (id: string) => void;
}) {
  const box = useRef<HTMLInputElement>(null);
  const words = useSignal("");
  const found = useSignal<{ ids: string[]; total: number } | undefined>(undefined);
  const place = useSignal(-1);

  useSignalEffect(() => {
    const query = words.value.trim();
    place.value = -1;
    onFound(query);
    if (query.length < 2) {
      found.value = undefined;
      highlight("");
      return;
    }
    const abort = new AbortController();
    const timer = setTimeout(() => {
      const path = `/api/sessions/${encodeURIComponent(sessionId)}/find?q=${encodeURIComponent(query)}`;
      get<{ results: string[] }, { total: number }>(path, abort.signal).then(
        ({ data, meta }) => {
          if (abort.signal.aborted) return;
          found.value = { ids: data.results, total: meta.total };
        },
        () => undefined,
      );
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  });
  useEffect(() => listenForFind(() => box.current), []);
  useEffect(() => () => highlight(""), []);

  const go = (step: number): void => {
    const ids = found.value?.ids ?? [];
    if (ids.length === 0) return;
    place.value = place.value < 0 && step < 0 ? ids.length - 1 : (place.value + step + ids.length) % ids.length;
    const id = ids[place.value];
    if (id !== undefined) onPlace(id);
  };
  const total = found.value?.total;
  return (
    <div class="find" role="search">
      <Icon name="search" />
      <input
        ref={box}
        type="search"
        placeholder="Find in session"
        aria-label="Find in this session"
        value={words.value}
        onInput={(event) => (words.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") go(event.shiftKey ? -1 : 1);
          else if (event.key === "Escape") {
            words.value = "";
            box.current?.blur();
          } else return;
          event.preventDefault();
        }}
      />
      <span class="find-count num" role="status">
        {total === undefined
          ? ""
          : total === 0
            ? "None"
            : `${place.value < 0 ? "" : `${place.value + 1}/`}${withCommas(total)}`}
      </span>
      {(total ?? 0) > 0 && (
        <>
          <button class="icon-button flip" aria-label="Previous place" onClick={() => go(-1)}>
            <Icon name="chevron" />
          </button>
          <button class="icon-button turn-down" aria-label="Next place" onClick={() => go(1)}>
            <Icon name="chevron" />
          </button>
        </>
      )}
    </div>
  );
}

/** Ctrl+F finds in the whole session; the browser's own search, which sees a part of it, comes when it is pressed again. */
function listenForFind(box: () => HTMLInputElement | null): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const own = box();
    if (event.key !== "f" || !(event.ctrlKey || event.metaKey) || own === null || document.activeElement === own)
      return;
    event.preventDefault();
    own.focus();
    own.select();
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}
