import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

const PAGES = join(import.meta.dirname, "..", "pages");

test("no two pages style the same class: their styles stay when one goes to another page", () => {
  const owners = new Map<string, Set<string>>();
  for (const file of globSync("**/*.css", { cwd: PAGES })) {
    // What begins a rule at the left margin; everything else stands inside of another.
    for (const [, name = ""] of readFileSync(join(PAGES, file), "utf8").matchAll(/^\.([\w-]+)/gm))
      owners.set(name, (owners.get(name) ?? new Set()).add(basename(file)));
  }
  expect(owners.size).toBeGreaterThan(100);
  const shared = new Set(["page", "button", "pill"]);
  expect([...owners].filter(([name, files]) => files.size > 1 && !shared.has(name))).toEqual([]);
});
