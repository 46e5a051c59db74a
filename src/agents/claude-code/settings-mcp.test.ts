import { describe, expect, it } from "vitest";
import mcpFile from "../../../plugin/.mcp.json" with { type: "json" };
import { findMcpServer, mcpPart, pluginMcp } from "./settings.ts";

const PROGRAM = {
  node: "/bin/node",
  hook: "/home/me/.c-mem/plugin/c-mem/dist/hook.cjs",
  mcp: "/home/me/.c-mem/plugin/c-mem/dist/mcp.cjs",
  cache: "/home/me/.c-mem/cache",
};

describe("the plugin's .mcp.json", () => {
  it("is what the installer writes, with Claude Code's own variables", () => {
    const root = "${CLAUDE_PLUGIN_ROOT}";
    const program = { node: "node", hook: "", mcp: `${root}/dist/mcp.cjs`, cache: "${CLAUDE_PLUGIN_DATA}/cache" };
    expect(mcpFile).toEqual(pluginMcp(program));
  });
});

describe(".claude.json", () => {
  it("gets C-Mem's server once, updates it, and has its old text after the removal", () => {
    const before = '{\n  "userID": "u",\n  "mcpServers": {\n    "a": {}\n  }\n}\n';
    const path = "/home/me/.claude.json";
    const added = mcpPart({ ...PROGRAM, node: "/old/node" }).add(before, path);
    expect(findMcpServer(JSON.parse(added))).toEqual({ node: "/old/node", bundle: PROGRAM.mcp });
    const updated = mcpPart(PROGRAM).add(added, path);
    expect(findMcpServer(JSON.parse(updated))).toEqual({ node: PROGRAM.node, bundle: PROGRAM.mcp });
    expect(mcpPart(PROGRAM).add(updated, path)).toBe(updated);
    expect(mcpPart().remove(updated, path)).toBe(before);
  });

  it.each([
    [undefined, undefined],
    [{ mcpServers: [] }, undefined],
    [{ mcpServers: { other: {} } }, undefined],
    [{ mcpServers: { "c-mem": { command: "c-mem", args: ["mcp"] } } }, "other"],
    [{ mcpServers: { "c-mem": { type: "http", url: "http://localhost" } } }, "other"],
  ])("%j has our server: %s", (state, found) => expect(findMcpServer(state)).toEqual(found));
});
