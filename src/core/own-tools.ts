// C-Mem's own tools: their answers are memory already and must not become evidence.

/** Claude Code's name is mcp__plugin_c-mem_memory__search or mcp__c-mem__search, other agents' mcp_c-mem_search, c-mem__search, c-mem_search, c-mem-search. */
const OWN = /^(?:mcp__?)?(?:plugin_c-mem_memory|c-mem)(?:__|[-_.])\w+$/;

export function isSkippedTool(tool: string, skipTools: readonly string[]): boolean {
  return skipTools.includes(tool) || OWN.test(tool);
}
