import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fillTemplate } from "./template.ts";

describe("a prompt's template", () => {
  it("is filled", () => {
    expect(fillTemplate("\nIn {{project}}: {{text}}.\n", { project: "app", text: "{{text}} $& $1" })).toBe(
      "In app: {{text}} $& $1.",
    );
  });

  it("throws if a placeholder has no value", () => {
    expect(() => fillTemplate("{{a}} {{b}}", { a: "1" })).toThrow("{{b}}");
  });

  it("throws if a value has no placeholder", () => {
    expect(() => fillTemplate("{{a}}", { a: "1", b: "2" })).toThrow("no placeholder for b");
  });
});

describe("the prompts", () => {
  const folder = join(import.meta.dirname, "prompts");

  it.each(readdirSync(folder))("%s is Markdown with well-formed placeholders", (name) => {
    const text = readFileSync(join(folder, name), "utf8");
    expect(name).toMatch(/\.md$/);
    expect(text.replaceAll(/\{\{\w+\}\}/g, "")).not.toMatch(/\{\{|\}\}/);
  });
});
