// By what memory can be narrowed down, besides project, agent and time.
import type { Filter } from "../../components/filter-bar.tsx";
import { CONCEPTS } from "../../../core/memory.ts";

export { TYPE } from "../search/filters.ts";

export const CONCEPT: Filter = { name: "concept", label: "Concept", any: "Every concept", options: CONCEPTS };

export const SHOW: Filter = {
  name: "show",
  label: "Which",
  any: "What holds",
  options: [
    { value: "pinned", label: "What is pinned" },
    { value: "all", label: "Also what was replaced" },
  ],
};
