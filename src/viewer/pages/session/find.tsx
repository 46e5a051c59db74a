// Finds words in a whole session. The worker searches; this file highlights the matches in the rendered rows.
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { find } from "../../../queries/session-items.ts";
import { useLoad } from "../../api.ts";
import { IconButton, SearchInput } from "../../components/controls.tsx";
import { useDebounced, useListener } from "../../components/hooks.ts";
import { Icon } from "../../components/icon.tsx";
import { withCommas } from "../../format.ts";
import { withQuery } from "../../router.ts";

const PAUSE_MS = 180;
const MIN_CHARS = 2;

interface FindProps {
  sessionId: string;
  /** Called with the typed words. */
  onSearch: (words: string) => void;
  /** Scrolls to the item that contains a match. */
  show: (id: string) => void;
}

export function Find({ sessionId, onSearch, show }: FindProps) {
  const box = useRef<HTMLInputElement>(null);
  const words = useSignal("");
  const query = useDebounced(words, PAUSE_MS);
  const current = useSignal(-1);
  const found = useLoad<typeof find>(() =>
    query.value.length < MIN_CHARS
      ? undefined
      : withQuery(`/api/sessions/${encodeURIComponent(sessionId)}/find`, { q: query.value }),
  );
  useSignalEffect(() => {
    current.value = -1;
    onSearch(words.value.trim());
    highlight(words.value.trim());
  });
  useEffect(() => () => highlight(""), []);
  // Ctrl+F searches the whole session. Pressed again in the search box, it opens the browser's own search.
  useListener("keydown", (event) => {
    if (event.key !== "f" || !(event.ctrlKey || event.metaKey) || document.activeElement === box.current) return;
    event.preventDefault();
    box.current?.select();
  });

  const step = (by: number): void => {
    const ids = found.load.value.reply?.data.results ?? [];
    if (ids.length === 0) return;
    current.value = current.value < 0 && by < 0 ? ids.length - 1 : (current.value + by + ids.length) % ids.length;
    show(ids[current.value] ?? "");
  };
  const total = found.load.value.reply?.meta.total;
  const position = current.value < 0 ? "" : `${current.value + 1}/`;
  return (
    <div class="field input-box find inline one-line centered" role="search">
      <Icon name="search" />
      <SearchInput
        ref={box}
        text={words}
        label="Find in session"
        onKeyDown={(event) => {
          if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
          else if (event.key === "Escape") {
            words.value = "";
            box.current?.blur();
          } else return;
          event.preventDefault();
        }}
      />
      <span class="find-count tiny muted num" role="status">
        {total === 0 ? "None" : total !== undefined && position + withCommas(total)}
      </span>
      {(total ?? 0) > 0 && (
        <>
          <IconButton label="Previous match" icon="chevron" class="point-up" onClick={() => step(-1)} />
          <IconButton label="Next match" icon="chevron" class="point-down" onClick={() => step(1)} />
        </>
      )}
    </div>
  );
}

const MAX_HIGHLIGHTS = 2_000;

/** Highlights words in the rendered rows without changing the DOM. */
export function highlight(words: string): void {
  if (!("highlights" in CSS)) return;
  CSS.highlights.delete("found");
  const list = document.querySelector(".virtual");
  const wanted = words.toLowerCase();
  if (list === null || wanted.length < MIN_CHARS) return;
  const ranges: Range[] = [];
  const texts = document.createTreeWalker(list, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node !== null && ranges.length < MAX_HIGHLIGHTS; node = texts.nextNode()) {
    const original = node.nodeValue ?? "";
    const text = original.toLowerCase();
    for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
      // Text in lower case can be longer than the original: "İ" has 1 character, "i̇" has 2.
      if (at + wanted.length > original.length) break;
      const range = new Range();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      ranges.push(range);
    }
  }
  CSS.highlights.set("found", new Highlight(...ranges));
}
