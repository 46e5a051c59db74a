// The rule file that gives Cursor injected context, inside a working tree.

/** Written only where `c-mem install cursor` created it. */
export const CURSOR_RULES = ".cursor/rules/c-mem-context.mdc";

const HEAD = `---
description: What C-Mem remembers of this project
alwaysApply: true
---
<!-- Written by C-Mem, which keeps it up to date; \`c-mem uninstall cursor\` takes it away. -->
`;

export function rulesText(block: string): string {
  return block === "" ? HEAD : `${HEAD}\n${block}\n`;
}

/** Whether C-Mem wrote the file. */
export function hasRules(text: string): boolean {
  return text.replaceAll("\r\n", "\n").startsWith(HEAD);
}
