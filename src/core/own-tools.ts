// Decides whose tool uses are not recorded: the tools of `skipTools`, and C-Mem's own, whose output is memory already.

/**
 * Names of the search tool in Claude Code: mcp__plugin_c-mem_memory__search, mcp__c-mem__search. In other agents:
 * mcp_c-mem_search, c-mem__search, c-mem_search, c-mem-search.
 */
const OWN = /^(?:mcp__?)?(?:plugin_c-mem_memory|c-mem)(?:__|[-_.])\w+$/;

export function isSkippedTool(tool: string, skipTools: readonly string[]): boolean {
  return skipTools.includes(tool) || OWN.test(tool);
}
