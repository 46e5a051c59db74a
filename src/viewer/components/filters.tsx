// Filters stored in the address, so that a reload or a link keeps them. They have the names of the API's parameters.
import { type Signal, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import type { projects } from "../../queries/projects.ts";
import { type DataOf, type LoadHandle, type MetaOf, useLoad } from "../api.ts";
import { route, setQuery, withQuery } from "../router.ts";
import { Button, type Options, SearchInput, Select } from "./controls.tsx";
import { useDebounced, useListener } from "./hooks.ts";

export interface Filter {
  /** The name of its parameter in the address. */
  name: string;
  label: string;
  /** Shown while the filter is not set. */
  anyLabel: string;
  options: Options;
}

const AGENT: Filter = {
  name: "agent",
  label: "Agent",
  anyLabel: "All agents",
  options: ["claude-code", "codex", "copilot-cli", "cursor", "gemini-cli", "opencode"],
};
const SINCE: Filter = {
  name: "since",
  label: "Time",
  anyLabel: "Any time",
  options: { "1d": "Last day", "1w": "Last week", "4w": "Last 4 weeks", "13w": "Last quarter", "52w": "Last year" },
};

/** Filters by project, agent and time, then the page's own filters. */
export function FilterBar({ filters = [], children }: { filters?: readonly Filter[]; children?: ComponentChildren }) {
  const { query } = route.value;
  const names = projectOptions(useProjects());
  const project: Filter = { name: "project", label: "Project", anyLabel: "All projects", options: names };
  const all = [project, AGENT, SINCE, ...filters];
  return (
    <div class="filters inline" role="group" aria-label="Filters">
      {all.map(({ name, label, anyLabel, options }) => (
        <Select
          key={name}
          class={query.has(name) ? "field pill is-set" : "field pill"}
          aria-label={label}
          anyLabel={anyLabel}
          options={options}
          value={query.get(name) ?? ""}
          onPick={(value) => setQuery({ [name]: value })}
        />
      ))}
      {children}
      {all.some(({ name }) => query.has(name)) && (
        <Button
          label="Clear filters"
          class="link-button"
          onClick={() => setQuery(Object.fromEntries(all.map(({ name }) => [name, undefined])))}
        />
      )}
    </div>
  );
}

export function useProjects(): LoadHandle<DataOf<typeof projects>> {
  return useLoad<typeof projects>(() => "/api/projects");
}

/** Names of projects by key. Projects with the same name are shown with their folders. */
export function projectOptions({ load }: ReturnType<typeof useProjects>): Options {
  const { results } = load.value.reply?.data ?? { results: [] };
  const byName = Map.groupBy(results, ({ name }) => name);
  return Object.fromEntries(
    results.map(({ key, name, root }) => [key, byName.get(name)?.length === 1 ? name : `${name} (${root})`]),
  );
}

/** The filters set in the address, as parameters of the API. */
export function scopeQuery(...more: string[]): Record<string, string | undefined> {
  const { query } = route.value;
  return Object.fromEntries(
    ["project", "agent", "since", "before", ...more].map((name) => [name, query.get(name) ?? undefined]),
  );
}

/** Loads the first rows that match the filters; `showMore` loads more of them. */
export function useList<Q>(
  path: string,
  query: () => Record<string, string | number | undefined> = scopeQuery,
  pageSize = 50,
): LoadHandle<DataOf<Q>, MetaOf<Q>> {
  const limit = useSignal(pageSize);
  const rows = useLoad<Q>(() => withQuery(path, { ...query(), limit: limit.value }));
  useSignalEffect(() => {
    void route.value;
    limit.value = pageSize;
  });
  return { ...rows, showMore: () => (limit.value += pageSize) };
}

/** The typed text. After a pause in typing it is written to the address, and an open search result is closed. */
export function useTypedQuery(name: string): Signal<string> {
  const typed = useSignal(route.peek().query.get(name) ?? "");
  const text = useDebounced(typed, TYPING_PAUSE_MS);
  useSignalEffect(() => {
    if (text.value !== (route.peek().query.get(name) ?? "")) setQuery({ [name]: text.value, open: undefined });
  });
  useListener("popstate", () => (typed.value = new URLSearchParams(location.search).get(name) ?? ""));
  return typed;
}

/** Long enough to skip most letters of a word, short enough to feel instant. */
const TYPING_PAUSE_MS = 120;

export function FilterField({ name, label }: { name: string; label: string }) {
  return <SearchInput class="field pill" text={useTypedQuery(name)} label={label} />;
}
