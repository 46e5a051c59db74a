// Fills the {{placeholders}} of prompts, which are Markdown files. A missing or unused value is a bug.
import jsonOnlyPrompt from "./prompts/json-only.md";
import type { ReplySchema } from "./provider.ts";

export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  const used = new Set<string>();
  const text = template.trim().replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The prompt needs a value for {{${name}}}.`);
    used.add(name);
    return value;
  });
  const unused = Object.keys(values).filter((name) => !used.has(name));
  if (unused.length > 0) throw new Error(`The prompt has no placeholder for ${unused.join(", ")}.`);
  return text;
}

/** Describes the reply in words, for servers without structured output. */
export function jsonOnly(schema: ReplySchema): string {
  return fillTemplate(jsonOnlyPrompt, { schema: JSON.stringify(schema.json) });
}
