// Searches all sessions and observations while the user types. The query is stored in the address.
import { useEffect, useRef } from "preact/hooks";
import { OBSERVATION_TYPES } from "../../../core/memory.ts";
import type { search } from "../../../queries/search.ts";
import { type DataOf, type MetaOf, type Reply, useLoad } from "../../api.ts";
import { SearchInput } from "../../components/controls.tsx";
import { type Filter, FilterBar, scopeQuery, useTypedQuery } from "../../components/filters.tsx";
import { Icon } from "../../components/icon.tsx";
import { ObservationColumn } from "../../components/observation-column.tsx";
import { Empty, Loaded } from "../../components/page.tsx";
import { Paragraph } from "../../components/text.tsx";
import { count } from "../../format.ts";
import { route, setQuery, withQuery } from "../../router.ts";
import { Result } from "./result.tsx";

const LIMIT = 30;
const MAX_OBSERVATIONS = 6;

const FILTERS: readonly Filter[] = [
  {
    name: "kind",
    label: "Kind",
    anyLabel: "Everything",
    options: { prompt: "Prompts", message: "Answers", tool: "Tool uses", file: "Files", session: "Titles" },
  },
  {
    name: "type",
    label: "Learned",
    anyLabel: "Any outcome",
    options: Object.fromEntries(OBSERVATION_TYPES.map((type) => [type, `With a ${type}`])),
  },
];

export function Page() {
  const box = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const { query } = route.value;
  const words = (query.get("q") ?? "").trim();
  useEffect(() => box.current?.focus(), []);
  return (
    <div class="page" onKeyDown={(event) => moveFocus(event, list.current, box.current)}>
      <h1 class="hidden">Search</h1>
      <div class="field input-box search-box inline one-line centered" role="search">
        <Icon name="search" />
        <SearchInput id="search-box" ref={box} text={useTypedQuery("q")} label="Search all sessions" />
      </div>
      <FilterBar filters={FILTERS} />
      {words === "" ? <Instructions /> : <Results words={words} list={list} />}
    </div>
  );
}

function Results({ words, list }: { words: string; list: { current: HTMLOListElement | null } }) {
  const { query } = route.value;
  const found = useLoad<typeof search>(() =>
    withWords("/api/search", { typing: 1, limit: LIMIT, ...scopeQuery("kind", "type") }),
  );
  const empty = {
    title: `No results for “${words}”`,
    text: "Try fewer or other words, clear the filters, or run `c-mem sync` to import earlier sessions.",
  };
  return (
    <div class="columns">
      <div>
        <Summary reply={found.load.value.reply} />
        <Loaded from={found} empty={empty}>
          {({ data }) => (
            <ol class="lines" ref={list}>
              {data.results.map((result) => (
                <Result
                  key={`${result.session_id} ${result.item} ${result.path}`}
                  result={result}
                  isOpen={query.get("open") === result.item}
                />
              ))}
            </ol>
          )}
        </Loaded>
      </div>
      <ObservationColumn
        path={() => withWords("/api/observations", { limit: MAX_OBSERVATIONS, ...scopeQuery("type") })}
      />
    </div>
  );
}

/** Adds the typed words to the query. Returns undefined if there are none. */
function withWords(path: string, query: Record<string, string | number | undefined>): string | undefined {
  const q = (route.value.query.get("q") ?? "").trim();
  return q === "" ? undefined : withQuery(path, { q, ...query });
}

const MATCHES: Readonly<Record<string, string>> = {
  phrase: "phrase match",
  words: "keyword match",
  prefix: "prefix match",
  typo: "similar spelling",
  meaning: "similar meaning",
};

/** "3 sessions, keyword match in talk, work · 4 ms", and a warning if semantic search did not run. */
function Summary({ reply }: { reply: Reply<DataOf<typeof search>, MetaOf<typeof search>> | undefined }) {
  if (reply === undefined) return <p class="search-summary" role="status" />;
  const { rung: match, words, lanes: indexes, ms, degraded, hint } = reply.meta;
  const number = reply.data.results.length;
  return (
    <div class="search-summary split small muted">
      <p role="status" class="num">
        {number < LIMIT ? count(number, "session") : `The ${LIMIT} best sessions`}, {MATCHES[match] ?? match}
        {(match === "typo" || match === "prefix") && `: ${words.slice(0, 6).join(", ")}`}{" "}
        <span class="faint">
          in {indexes.join(", ")} · {ms} ms
        </span>
      </p>
      {degraded !== null && (
        <details>
          <summary>
            <Icon name="warning" /> {degraded}
          </summary>
          <Paragraph text={hint} />
        </details>
      )}
    </div>
  );
}

/** Arrow keys move between the search box and the results. Escape closes the open result, or returns to the box. */
function moveFocus(event: KeyboardEvent, list: HTMLOListElement | null, box: HTMLInputElement | null): void {
  if (event.metaKey || event.ctrlKey || event.altKey) return;
  const heads = [...(list?.querySelectorAll<HTMLElement>(".result-head") ?? [])];
  const at = heads.findIndex((head) => head === document.activeElement);
  const isInBox = document.activeElement === box;
  if (event.key === "Escape" && route.peek().query.has("open")) {
    const open = heads.find((head) => head.getAttribute("aria-expanded") === "true");
    setQuery({ open: undefined });
    open?.focus();
  } else if (event.key === "Escape" && !isInBox) box?.focus();
  else if (event.key === "Enter" && isInBox) {
    heads[0]?.click();
    heads[0]?.focus();
  } else if (event.key === "ArrowDown" && (isInBox || at >= 0)) heads[at + 1]?.focus();
  else if (event.key === "ArrowUp" && at >= 0) (heads[at - 1] ?? box)?.focus();
  else return;
  event.preventDefault();
}

function Instructions() {
  const text =
    'Finds prompts, answers, tool uses and files. Words match in any order, `"a phrase"` exactly. A path finds the sessions that touched the file.';
  return (
    <Empty title="Search all your sessions" text={text}>
      <p class="keys">
        <kbd>/</kbd> search <kbd>↑</kbd> <kbd>↓</kbd> move <kbd>Enter</kbd> open <kbd>Esc</kbd> close
      </p>
    </Empty>
  );
}
