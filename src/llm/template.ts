// Prompts are Markdown files with {{placeholders}}: one that is missing, or left over, is a mistake and not an empty string.

export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  const used = new Set<string>();
  const text = template.trim().replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`The prompt asks for {{${name}}}, which nobody gave.`);
    used.add(name);
    return value;
  });
  const unused = Object.keys(values).filter((name) => !used.has(name));
  if (unused.length > 0) throw new Error(`The prompt has no place for ${unused.join(", ")}.`);
  return text;
}
