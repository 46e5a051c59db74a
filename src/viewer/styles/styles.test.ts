import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

const PAGES = join(import.meta.dirname, "..", "pages");

test("no two pages style the same class: a page's styles stay loaded on the next page", () => {
  const owners = new Map<string, Set<string>>();
  for (const file of globSync("**/*.css", { cwd: PAGES })) {
    // Rules start at the left margin, nested ones are indented.
    for (const [, name = ""] of readFileSync(join(PAGES, file), "utf8").matchAll(/^\.([\w-]+)/gm))
      owners.set(name, (owners.get(name) ?? new Set()).add(basename(file)));
  }
  expect(owners.size).toBeGreaterThan(50);
  const shared = new Set(["page", "button", "pill"]);
  expect([...owners].filter(([name, files]) => files.size > 1 && !shared.has(name))).toEqual([]);
});
