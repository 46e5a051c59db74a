// What the documents name is there.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMAND_NAMES } from "../../src/cli/commands.ts";
import { ROOT } from "./harness.ts";

const DOCS = ["README.md", ...readdirSync(join(ROOT, "docs")).map((name) => join("docs", name))].filter((name) =>
  name.endsWith(".md"),
);
const textOf = (name: string): string => readFileSync(join(ROOT, name), "utf8");
const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });

// `store/open.ts`; any folder for a star or `<agent>`; somewhere in src where none is named.
function isThere(file: string): boolean {
  if (existsSync(join(ROOT, file))) return true;
  const pattern = file
    .replaceAll(".", "\\.")
    .replaceAll("/", "[\\\\/]")
    .replace(/\*|<\w+>/g, "[\\w-]+");
  return sources.some((path) => new RegExp(`(?:^|[\\\\/])${pattern}$`).test(path));
}

describe("the documents", () => {
  it.each(DOCS)("%s names only sources and tests that are there", (doc) => {
    const named = [...textOf(doc).matchAll(/`([\w*<>./-]+\.tsx?)`/g)].map((match) => match[1] ?? "");
    expect(named.filter((file) => !isThere(file))).toEqual([]);
    if (basename(doc) === "architecture.md") expect(named.length).toBeGreaterThan(50);
  });

  it("tell of every command in the README", () => {
    const lines = textOf("README.md").match(/^ {4}c-mem .+?(?= {2}|$)/gm) ?? [];
    const told = new Set(lines.flatMap((line) => line.match(/[\w-]+/g) ?? []));
    expect(COMMAND_NAMES.filter((name) => !told.has(name))).toEqual([]);
  });

  it("have every section once", () => {
    for (const doc of DOCS) {
      const headings: string[] = textOf(doc).match(/^##? .*$/gm) ?? [];
      expect([doc, headings.filter((heading, index) => headings.indexOf(heading) !== index)]).toEqual([doc, []]);
    }
  });
});
