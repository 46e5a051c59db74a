// Every session and everything learned, by words and meaning, as one types. What is asked for stands in the address.
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { useLoad } from "../../api.ts";
import { Empty } from "../../components/empty.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { Icon } from "../../components/icon.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { scopeQuery, useScopeFilters } from "../../components/scope-filters.ts";
import { route, setQuery, withQuery } from "../../router.ts";
import type { Finding, SearchMeta } from "../../wire.ts";
import { KIND, TYPE } from "./filters.ts";
import { How, LIMIT } from "./how.tsx";
import { Known } from "./known.tsx";
import { Result } from "./result.tsx";
import "./search.css";

/** Long enough not to ask for every letter, short enough to feel at once. */
const PAUSE_MS = 120;

export function Search() {
  const box = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const typed = useSignal(route.peek().query.get("q") ?? "");
  const filters = useScopeFilters();
  const found = useLoad<{ results: Finding[] }, SearchMeta>(() => {
    const q = (route.value.query.get("q") ?? "").trim();
    return q === ""
      ? undefined
      : withQuery("/api/search", { q, typing: 1, limit: LIMIT, ...scopeQuery("kind", "type") });
  });

  useEffect(() => box.current?.focus(), []);
  // The address follows what is typed; going back brings the words back.
  useSignalEffect(() => {
    const words = typed.value;
    if (words === (route.peek().query.get("q") ?? "")) return;
    const timer = setTimeout(() => setQuery({ q: words, open: undefined }), PAUSE_MS);
    return () => clearTimeout(timer);
  });
  useEffect(() => {
    const onBack = (): void => {
      typed.value = new URLSearchParams(location.search).get("q") ?? "";
    };
    addEventListener("popstate", onBack);
    return () => removeEventListener("popstate", onBack);
  }, []);

  const onKey = (event: KeyboardEvent): void => moveBetween(event, list.current, box.current);
  const query = route.value.query;
  const hasWords = (query.get("q") ?? "").trim() !== "";
  return (
    <div class="page search-page" onKeyDown={onKey}>
      <h1 class="hidden">Search</h1>
      <div class="search-box" role="search">
        <Icon name="search" />
        <input
          id="search-box"
          ref={box}
          type="search"
          autocomplete="off"
          spellcheck={false}
          placeholder="Search every session"
          aria-label="Search every session"
          value={typed.value}
          onInput={(event) => (typed.value = event.currentTarget.value)}
        />
      </div>
      <FilterBar filters={[...filters.value, KIND, TYPE]} />
      {!hasWords ? (
        <Start />
      ) : (
        <div class="found">
          <div>
            <How load={found.load.value} />
            <Loaded from={found} empty={<Nothing words={query.get("q") ?? ""} />}>
              {({ data }) => (
                <ol class="results" ref={list}>
                  {data.results.map((finding) => (
                    <Result
                      key={`${finding.session_id} ${finding.item} ${finding.path}`}
                      finding={finding}
                      isOpen={query.get("open") === finding.item}
                    />
                  ))}
                </ol>
              )}
            </Loaded>
          </div>
          <Known />
        </div>
      )}
    </div>
  );
}

/** Arrows go from the words to the results and through them; escape closes what is open and goes back to the words. */
function moveBetween(event: KeyboardEvent, list: HTMLOListElement | null, box: HTMLInputElement | null): void {
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  const heads = [...(list?.querySelectorAll<HTMLElement>(".result-head") ?? [])];
  const at = heads.findIndex((head) => head === document.activeElement);
  const isInBox = document.activeElement === box;
  if (event.key === "Escape") {
    if (route.peek().query.has("open")) {
      const open = heads.find((head) => head.getAttribute("aria-expanded") === "true");
      setQuery({ open: undefined });
      open?.focus();
    } else if (!isInBox) box?.focus();
    else return;
  } else if (event.key === "Enter" && isInBox) {
    heads[0]?.click();
    heads[0]?.focus();
  } else if (event.key === "ArrowDown" && (isInBox || at >= 0)) heads[at + 1]?.focus();
  else if (event.key === "ArrowUp" && at === 0) box?.focus();
  else if (event.key === "ArrowUp" && at > 0) heads[at - 1]?.focus();
  else return;
  event.preventDefault();
}

function Start() {
  return (
    <Empty title="What was said and done, in every session">
      <p>
        Words in any order find sessions; <code>"words in quotation marks"</code> stand as they are; a path finds who
        touched the file.
      </p>
      <p class="keys">
        <kbd>/</kbd> search <kbd>↑</kbd> <kbd>↓</kbd> move <kbd>Enter</kbd> open <kbd>Esc</kbd> close
      </p>
    </Empty>
  );
}

function Nothing({ words }: { words: string }) {
  return (
    <Empty title={`Nothing fits “${words}”`}>
      <p>
        Try other or fewer words, or take the filters away. What was before C-Mem came is brought in by{" "}
        <code>c-mem sync</code>.
      </p>
    </Empty>
  );
}
