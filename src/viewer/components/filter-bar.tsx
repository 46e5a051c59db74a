// Filters that live in the address: each is one part of the query, so that a reload or a link keeps them.
import type { ComponentChildren } from "preact";
import { route, setQuery } from "../router.ts";

export interface Filter {
  /** Its part of the query. */
  name: string;
  label: string;
  /** What it says when it is not set. */
  any: string;
  options: readonly (string | { value: string; label: string })[];
}

export const SINCE: Filter = {
  name: "since",
  label: "Time",
  any: "Any time",
  options: [
    { value: "1d", label: "Last day" },
    { value: "1w", label: "Last week" },
    { value: "4w", label: "Last 4 weeks" },
    { value: "13w", label: "Last quarter" },
    { value: "52w", label: "Last year" },
  ],
};

export function FilterBar({ filters, children }: { filters: readonly Filter[]; children?: ComponentChildren }) {
  const { query } = route.value;
  const isAnySet = filters.some(({ name }) => query.has(name));
  return (
    <div class="filters" role="group" aria-label="Filters">
      {filters.map(({ name, label, any, options }) => (
        <select
          key={name}
          class={query.has(name) ? "filter is-set" : "filter"}
          aria-label={label}
          value={query.get(name) ?? ""}
          onChange={(event) => setQuery({ [name]: event.currentTarget.value })}
        >
          <option value="">{any}</option>
          {withChosen(options, query.get(name)).map(({ value, label: text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      ))}
      {children}
      {isAnySet && (
        <button
          class="link-button"
          onClick={() => setQuery(Object.fromEntries(filters.map(({ name }) => [name, undefined])))}
        >
          Clear filters
        </button>
      )}
    </div>
  );
}

/** What the address asks for stands in the list even where the list is not loaded yet. */
function withChosen(options: Filter["options"], chosen: string | null): { value: string; label: string }[] {
  const all = options.map((each) => (typeof each === "string" ? { value: each, label: each } : each));
  if (chosen === null || all.some(({ value }) => value === chosen)) return all;
  return [...all, { value: chosen, label: chosen }];
}
