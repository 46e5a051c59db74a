// An observation as a text to be changed in an editor: fields on lines of their own, then the words.
import type { Observation } from "../core/memory.ts";
import { readConcepts, readNames, readType } from "../queries/observation-flags.ts";

export function formText({ type, title, subtitle, concepts, files, facts, narrative }: Observation): string {
  return [
    `type: ${type}`,
    `title: ${title}`,
    `subtitle: ${subtitle ?? ""}`,
    `concepts: ${concepts.join(", ")}`,
    `files: ${files.join(", ")}`,
    ...facts.map((fact) => `fact: ${fact.replace(/\s*\n\s*/g, " ")}`),
    "",
    narrative,
    "",
  ].join("\n");
}

/** A field that was taken out stays as it was, but for facts: those that are gone are gone. */
export function readForm(text: string, before: Observation): Observation {
  const [head = "", ...rest] = text.replaceAll("\r\n", "\n").split("\n\n");
  const lines = head.split("\n").map((line) => /^(\w+):\s*(.*)$/.exec(line));
  const field = (name: string): string | undefined => lines.find((line) => line?.[1] === name)?.[2]?.trim();
  const subtitle = field("subtitle") ?? before.subtitle;
  const { subtitle: _, ...kept } = before;
  return {
    ...kept,
    type: readType(field("type")) ?? before.type,
    title: field("title") ?? before.title,
    ...(subtitle !== undefined && subtitle !== "" && { subtitle }),
    concepts: readConcepts(field("concepts")) ?? before.concepts,
    files: readNames(field("files")) ?? before.files,
    facts: lines.filter((line) => line?.[1] === "fact").map((line) => line?.[2]?.trim() ?? ""),
    narrative: rest.join("\n\n").trim(),
  };
}
