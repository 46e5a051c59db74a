// Escapes all characters that are not ASCII: Node reads an ASCII file in half the time, and V8 keeps it in half the
// memory. String.raw does not undo the escapes, so use it only for regular expressions, where \u00e9 matches é.

export function asciiOnly() {
  return {
    name: "ascii-only",
    generateBundle(_options: unknown, bundle: Record<string, { code?: string }>): void {
      for (const chunk of Object.values(bundle)) if (chunk.code !== undefined) chunk.code = escape(chunk.code);
    },
  };
}

function escape(code: string): string {
  return code.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
