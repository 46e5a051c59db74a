import { describe, expect, it } from "vitest";
import { isSkippedTool } from "./own-tools.ts";

describe("isSkippedTool", () => {
  it.each([
    "mcp__plugin_c-mem_memory__search",
    "mcp__c-mem__get_observations",
    "mcp_c-mem_file_history",
    "c-mem__timeline",
    "c-mem_search",
    "c-mem-find_fix",
    "TodoWrite",
  ])("is true for %s", (tool) => expect(isSkippedTool(tool, ["TodoWrite"])).toBe(true));

  it.each(["Bash", "search", "mcp__other__search", "mcp__plugin_demo-mem_mem__search", "c-member_search", "c-mem"])(
    "is false for %s",
    (tool) => expect(isSkippedTool(tool, ["TodoWrite"])).toBe(false),
  );
});
