// Which hooks Claude Code is asked to run, and with which options. plugin/hooks/hooks.json is this table, written out.

interface HookEntry {
  event: string;
  /** The tools it is run for; left out: all. */
  matcher?: string;
  command: string;
  timeoutSeconds: number;
  /** Nobody waits for it. The client kills async hooks when `claude -p` exits, so never for what comes last in a turn. */
  async?: true;
}

export const HOOKS: readonly HookEntry[] = [
  { event: "SessionStart", command: "context", timeoutSeconds: 10 },
  { event: "UserPromptSubmit", command: "new", timeoutSeconds: 10 },
  // Agent: what a subagent is asked to do is known only here.
  { event: "PreToolUse", matcher: "Read|Edit|Write|Bash|Agent|Task", command: "recall", timeoutSeconds: 5 },
  { event: "PostToolUse", command: "save", timeoutSeconds: 30, async: true },
  // Not async: what made the same error go away has to reach the model together with the error.
  { event: "PostToolUseFailure", command: "save", timeoutSeconds: 10 },
  { event: "SubagentStart", command: "recall", timeoutSeconds: 5 },
  { event: "Stop", command: "summary", timeoutSeconds: 10 },
  { event: "SubagentStop", command: "summary", timeoutSeconds: 10 },
  { event: "PreCompact", command: "summary", timeoutSeconds: 10 },
  { event: "SessionEnd", command: "cleanup", timeoutSeconds: 5 },
];

export interface HookGroup {
  matcher?: string;
  hooks: [{ type: "command"; command: string; args: [string, string]; timeout: number; async?: true }];
}

/** Exec form (`args`): no shell, so nothing to quote and no console window on Windows. */
export function hookGroup(entry: HookEntry, node: string, bundle: string): HookGroup {
  return {
    ...(entry.matcher !== undefined && { matcher: entry.matcher }),
    hooks: [
      {
        type: "command",
        command: node,
        args: [bundle, entry.command],
        timeout: entry.timeoutSeconds,
        ...(entry.async && { async: true }),
      },
    ],
  };
}

export function pluginHooks(node: string, bundle: string): { description: string; hooks: Record<string, HookGroup[]> } {
  return {
    description: "Records sessions and hands memory back",
    hooks: Object.fromEntries(HOOKS.map((entry) => [entry.event, [hookGroup(entry, node, bundle)]])),
  };
}
