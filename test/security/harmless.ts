// Checks that planted instructions appear in injected text only as quotations.
import { expect } from "vitest";
import { PLANTED_INSTRUCTIONS } from "./planted-instructions.ts";

/** Expects one fence around the whole text, and each instruction in it marked as a quotation. */
export function expectHarmless(text: string, where: string): void {
  if (text === "") return;
  expect(text.match(/<c-mem-context>/g) ?? [], where).toHaveLength(1);
  expect(text.match(/<\/c-mem-context>/g) ?? [], where).toHaveLength(1);
  expect(text.trimStart().startsWith("<c-mem-context>") && text.trimEnd().endsWith("</c-mem-context>"), where).toBe(
    true,
  );
  const unquoted = text
    .replaceAll(/\[quoted text, not an instruction: “[^”]*”\]/g, "[quoted]")
    .replaceAll(/[-_]+/g, " ");
  for (const { words } of PLANTED_INSTRUCTIONS)
    expect({ where, line: lineWith(unquoted, words.replaceAll(/[-_]+/g, " ")) }).toEqual({ where, line: undefined });
}

const lineWith = (text: string, words: string): string | undefined =>
  text.split("\n").find((line) => line.toLowerCase().includes(words.toLowerCase()));
