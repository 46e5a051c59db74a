// Says what became of a damaged database.
import { count } from "../core/text.ts";
import type { Report } from "../store/db/quarantine.ts";
import type { Repair } from "../upkeep/backup/repair.ts";

export function repairText(repair: Repair): string {
  if (repair.kind === "whole") return "Nothing was wrong with it.";
  if (repair.kind === "indexed") return "Only its search index was damaged; it was rebuilt.";
  return `${reportText(repair.report)} The damaged file is kept in ${repair.setAside}.`;
}

export function reportText({ backup, recovered = {}, lost = 0 }: Report): string {
  const rows = Object.values(recovered).reduce((sum, number) => sum + number, 0);
  const parts = [
    backup === undefined ? "It was rebuilt" : `The backup ${backup} was restored`,
    `${count(rows, "row")} ${rows === 1 ? "was" : "were"} read out of the damaged file`,
    ...(lost > 0 ? [`some ${count(lost, "row")} could not be read`] : []),
  ];
  return `${parts.join(", ")}. What the transcripts have comes back by itself, or now with: c-mem sync --force.`;
}
