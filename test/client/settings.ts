// A user's own settings, which C-Mem must not change.

/** The hook leaves this file behind in the project: proof that it still runs. */
export const OWN_HOOK_FILE = "own-hook-ran";

export const PLAIN_SETTINGS = `{
    "model": "opus",
    "permissions": { "allow": ["Bash(ls:*)"], "deny": [] },
    "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "touch ${OWN_HOOK_FILE}" }] }] }
}
`;

export const COMMENTED_SETTINGS = `{
  // The one I like.
  "model": "opus",
  "permissions": { "allow": ["Bash(ls:*)"] }, /* nothing else */
  "hooks": {
    "Stop": [
      // Tells me when a turn is over.
      { "hooks": [{ "type": "command", "command": "touch ${OWN_HOOK_FILE}" }] }
    ]
  }
}
`;
