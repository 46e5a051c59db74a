// The version. A test compares it with package.json and the plugin's manifest.

export const VERSION = "0.1.0";

/** "1.2.0-beta" is older than "1.2.0". */
export function isNewer(version: string, than: string): boolean {
  const [a, b] = [version, than].map((text) => {
    const [numbers = "", before] = text.split("-", 2);
    return [...numbers.split(".").map(Number), before === undefined ? 1 : 0];
  });
  for (const [index, part] of (a ?? []).entries()) {
    const other = b?.[index] ?? 0;
    if (part !== other) return part > other;
  }
  return false;
}
