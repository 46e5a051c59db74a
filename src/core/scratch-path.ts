// Recognises files that are not part of a project: temporary files, and agents' own plans, notes and memory.

/** Folders at the beginning of an absolute path. Paths inside a project are relative, also if it is in /tmp. */
const TEMPORARY =
  /^(?:(?:\/private)?\/(?:tmp|var\/(?:tmp|folders))\/|[A-Z]:\/(?:Users\/[^/]+\/AppData\/Local\/Temp|Windows\/Temp|Temp|tmp)\/)/i;
/** Folders below an agent's config folder, in the home folder or in a project. */
const AGENT_NOTES =
  /(?:^|\/)\.(?:claude|codex|copilot|gemini|cursor|opencode)\/(?:.*\/)?(?:plans|projects|todos|tasks|sessions|session-state|tmp|memor(?:y|ies)|agent-memory(?:-local)?|file-history|brain)\//i;
const NOTES = /(?:^|\/)(?:scratchpad\/|\.serena\/memories\/)/;

/** The path may have either separator: transcripts of Windows are read on other systems, too. */
export function isScratchPath(path: string): boolean {
  const slashed = path.replaceAll("\\", "/").replace(/^\/\/\?\//, "");
  return TEMPORARY.test(slashed) || AGENT_NOTES.test(slashed) || NOTES.test(slashed);
}
