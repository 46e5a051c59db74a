// Separates the prompts that a person typed from the text that Codex adds in the user role.

/** The beginnings of messages that Codex adds: environment, instructions, notices. */
const INJECTED =
  /^\s*(?:# AGENTS\.md instructions for |<(?:environment_context|user_instructions|INSTRUCTIONS|turn_aborted|skill|skills_instructions|user_shell_command|subagent_notification|permissions instructions|collaboration_mode|personality_spec|model_switch|apps_instructions|plugins_instructions|hook_prompt|goal_context)\b)/;

/** The IDE extension sends open files and selections, then this heading, then the prompt. */
const REQUEST = "## My request for Codex:";

export function typedText(text: string): string | undefined {
  if (INJECTED.test(text)) return undefined;
  const request = text.startsWith("# Context from my IDE setup:") ? text.indexOf(REQUEST) : -1;
  const typed = request < 0 ? text : text.slice(request + REQUEST.length).trim();
  const withoutImages = typed.replace(/<\/?image\b[^>]*>|\[Image #\d+\]/g, "");
  return withoutImages.trim() === "" ? undefined : typed;
}

/** The oldest rollouts name the working folder only in this message. */
export function environmentCwd(text: string): string | undefined {
  if (!/^\s*<environment_context>/.test(text)) return undefined;
  return /<cwd>([^<]+)<\/cwd>/.exec(text)?.[1] ?? /^Current working directory: (.+)$/m.exec(text)?.[1];
}

const MIN_UUID_CHARS = 32;

/** False for the turn numbers of old versions, which are not unique. */
export function isTurnUuid(id: string | undefined): id is string {
  return id !== undefined && id.length >= MIN_UUID_CHARS;
}
