// What a search can be narrowed to besides project, agent and time.
import type { Filter } from "../../components/filter-bar.tsx";
import { OBSERVATION_TYPES } from "../../../core/memory.ts";

export const KIND: Filter = {
  name: "kind",
  label: "Kind",
  any: "Everything",
  options: [
    { value: "prompt", label: "Prompts" },
    { value: "message", label: "Answers" },
    { value: "tool", label: "Tool uses" },
    { value: "file", label: "Files" },
    { value: "session", label: "Titles" },
  ],
};

export const TYPE: Filter = {
  name: "type",
  label: "Learned",
  any: "Any outcome",
  options: OBSERVATION_TYPES.map((type) => ({ value: type, label: `With a ${type}` })),
};
