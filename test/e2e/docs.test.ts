// Files, symbols, commands and links named in the docs exist.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { COMMAND_NAMES } from "../../src/cli/commands.ts";
import { ROOT } from "./harness.ts";

const inDocs = readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" });
const DOCS = [
  "README.md",
  "CONTRIBUTING.md",
  "SECURITY.md",
  "CHANGELOG.md",
  ...inDocs.map((name) => join("docs", name)),
].filter((name) => name.endsWith(".md"));
const textOf = (name: string): string => readFileSync(join(ROOT, name), "utf8");
const sources = readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" });

// `src/store/db/open.ts`, `open.ts` somewhere in src, `agents/<agent>/event.ts` for any folder.
function isThere(file: string): boolean {
  if (existsSync(join(ROOT, file))) return true;
  const pattern = file
    .replaceAll(".", "\\.")
    .replaceAll("/", "[\\\\/]")
    .replace(/\*|<\w+>/g, "[\\w-]+");
  return sources.some((path) => new RegExp(`(?:^|[\\\\/])${pattern}$`).test(path));
}

describe("the documents", () => {
  it.each(DOCS)("%s names only sources, tests and folders that exist", (doc) => {
    const text = textOf(doc);
    const files = [...text.matchAll(/`([\w*<>./-]+\.tsx?)`/g)].map((match) => match[1] ?? "");
    const folders = [...text.matchAll(/`((?:src|test|docs|dev|bench|plugin)\/[\w./-]*)`/g)].map(
      (match) => match[1] ?? "",
    );
    const missing = [...files, ...folders.filter((path) => !/^plugin\/dist|\.js$/.test(path))].filter(
      (path) => !isThere(path),
    );
    expect(missing).toEqual([]);
  });

  it("architecture.md names functions that exist in the file named after them", () => {
    const text = textOf(join("docs", "architecture.md")).replace(/\s+/g, " ");
    const named = [...text.matchAll(/`(\w+)` (?:in |\()`(src\/[\w./-]+\.ts)`/g)];
    const missing = named.filter(
      ([, symbol, file]) => !new RegExp(`\\b(?:function\\*?|const|class) ${symbol}\\b`).test(textOf(file ?? "")),
    );
    expect(missing.map(([found]) => found)).toEqual([]);
    expect(named.length).toBeGreaterThan(20);
  });

  it("glossary.md names types and tables that exist", () => {
    const code = sources.filter((path) => path.endsWith(".ts")).map((path) => textOf(join("src", path)));
    const declared = new Set(
      code.flatMap((text) => [...text.matchAll(/^export (?:interface|type|const) (\w+)/gm)].map((match) => match[1])),
    );
    const tables = new Set(
      [...textOf("src/store/db/schema.sql").matchAll(/^CREATE TABLE (\w+)/gm)].map((match) => match[1]),
    );
    const named = [...textOf(join("docs", "glossary.md")).matchAll(/\(([^)]*)\)/g)].flatMap((match) =>
      [...(match[1] ?? "").matchAll(/`([A-Z]\w+|[a-z]+_[a-z_]+)`/g)].map((name) => name[1] ?? ""),
    );
    expect(named.filter((name) => !declared.has(name) && !tables.has(name))).toEqual([]);
    expect(named.length).toBeGreaterThan(20);
  });

  it.each(DOCS)("%s links only to files that exist", (doc) => {
    const links = [...textOf(doc).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map((match) => match[1] ?? "");
    expect(links.filter((link) => !existsSync(join(ROOT, dirname(doc), link)))).toEqual([]);
  });

  it.each(DOCS)("%s has lines under 120 characters", (doc) => {
    const isLong = (line: string): boolean => [...line].length >= 120;
    expect(textOf(doc).split("\n").filter(isLong)).toEqual([]);
  });

  it("README.md lists every command", () => {
    const lines = textOf("README.md").match(/^ {4}c-mem .+?(?= {2}|$)/gm) ?? [];
    const listed = new Set(lines.flatMap((line) => line.match(/[\w-]+/g) ?? []));
    expect(COMMAND_NAMES.filter((name) => !listed.has(name))).toEqual([]);
  });

  it("have no section twice", () => {
    for (const doc of DOCS) {
      const headings: string[] = textOf(doc).match(/^##? .*$/gm) ?? [];
      expect([doc, headings.filter((heading, index) => headings.indexOf(heading) !== index)]).toEqual([doc, []]);
    }
  });
});
