// The rules file in a working tree through which Cursor gets injected context.

/** Hooks update this file only if `c-mem install cursor` created it. */
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

/** True if C-Mem wrote the file. */
export function hasRules(text: string): boolean {
  return text.replaceAll("\r\n", "\n").startsWith(HEAD);
}
