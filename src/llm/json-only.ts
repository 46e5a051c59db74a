// For servers that know no schemas: the shape of the answer in words.
import template from "./prompts/json-only.md";
import type { ReplySchema } from "./provider.ts";
import { fillTemplate } from "./template.ts";

export function jsonOnly(schema: ReplySchema): string {
  return fillTemplate(template, { schema: JSON.stringify(schema.json) });
}
