import { describe, expect, it } from "vitest";
import { toolColumns } from "./index-text.ts";

describe("the indexed text of a tool use", () => {
  it("has head and tail of a long output, and the errors between them", () => {
    const filler = (name: string): string => `${name} compiled without errors\n`.repeat(100);
    const output = `first line\n${filler("shop")}src/cart.ts(3,4): error TS2339: Property 'total' is missing.\n${filler("web")}last line`;
    const { output: indexed } = toolColumns("Bash", { command: "tsc" }, output);
    expect(indexed).toContain("first line");
    expect(indexed).toContain("last line");
    expect(indexed).toContain("error TS2339: Property 'total' is missing.");
    expect(indexed.length).toBeLessThan(2_200);
  });

  it("is quick for an output with an error in every line", () => {
    const start = process.cpuUsage();
    toolColumns("Bash", {}, Array.from({ length: 50_000 }, (_, line) => `${line}: 0 errors in step`).join("\n"));
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(1_000);
  });
});
