// The rule by which Cursor is told what is remembered: `.cursor/rules/c-mem-context.mdc`, all of it ours.

const HEAD = `---
description: What C-Mem remembers of this project
alwaysApply: true
---
<!-- Written by C-Mem, which keeps it up to date; \`c-mem uninstall cursor\` takes it away. -->
`;

export function rulesText(block: string): string {
  return block === "" ? HEAD : `${HEAD}\n${block}\n`;
}

/** Whether a file by that name is ours. */
export function hasRules(text: string): boolean {
  return text.replaceAll("\r\n", "\n").startsWith(HEAD);
}
