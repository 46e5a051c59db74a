// By what memory can be narrowed down, besides project, agent and time.
import type { Filter } from "../../components/filter-bar.tsx";
import { CONCEPTS, OBSERVATION_TYPES } from "../../../core/memory.ts";

export const TYPE: Filter = { name: "type", label: "Type", any: "Every type", options: OBSERVATION_TYPES };

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
