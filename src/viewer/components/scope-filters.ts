// The filters that most pages share: which project, which agent, which time. The query's names are the API's.
import { useComputed, type ReadonlySignal } from "@preact/signals";
import { useLoad } from "../api.ts";
import { route } from "../router.ts";
import type { ProjectEntry } from "../wire.ts";
import { type Filter, SINCE } from "./filter-bar.tsx";

const AGENTS = ["claude-code", "codex", "copilot-cli", "gemini-cli", "opencode"];

export function useScopeFilters(): ReadonlySignal<Filter[]> {
  const projects = useLoad<{ results: ProjectEntry[] }>(() => "/api/projects");
  return useComputed(() => [
    {
      name: "project",
      label: "Project",
      any: "Every project",
      options: named(projects.load.value.reply?.data.results ?? []),
    },
    { name: "agent", label: "Agent", any: "Every agent", options: AGENTS },
    SINCE,
  ]);
}

/** What of the address belongs in the API's query. */
export function scopeQuery(...more: string[]): Record<string, string | undefined> {
  const { query } = route.value;
  return Object.fromEntries(
    ["project", "agent", "since", "before", ...more].map((name) => [name, query.get(name) ?? undefined]),
  );
}

/** Two projects may have one name: then the folder tells them apart. */
function named(projects: readonly ProjectEntry[]): Filter["options"] {
  const times = new Map<string, number>();
  for (const { name } of projects) times.set(name, (times.get(name) ?? 0) + 1);
  return projects.map(({ key, name, root }) => ({
    value: key,
    label: (times.get(name) ?? 0) > 1 ? `${name} (${root})` : name,
  }));
}
