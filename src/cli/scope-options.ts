// The options that say which sessions a command is about, the same for every command that lists or searches.

export const SCOPE_OPTIONS: [flags: string, about: string][] = [
  ["-p, --project <name>", "a project by name or key (default: where you stand)"],
  ["-a, --all", "every project"],
  ["--agent <agent>", "one agent: claude-code, codex, gemini-cli, copilot-cli, opencode"],
  ["--since <time>", "from this time on: 2026-01-31, 3d, 2w"],
  ["--before <time>", "before this time"],
  ["--days <number>", "the last days"],
  ["-n, --limit <number>", "how many at the most"],
];
