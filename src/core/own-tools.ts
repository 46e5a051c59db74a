// Our own tools as agents call them: what they answer is memory already, and must not become evidence of itself.

/** Claude Code says mcp__plugin_c-mem_memory__search or mcp__c-mem__search, others mcp_c-mem_search, c-mem__search, c-mem_search, c-mem-search. */
const OWN = /^(?:mcp__?)?(?:plugin_c-mem_memory|c-mem)(?:__|[-_.])\w+$/;

/** True for a tool whose calls are not recorded. */
export function isUnrecorded(tool: string, skipTools: readonly string[]): boolean {
  return skipTools.includes(tool) || OWN.test(tool);
}
