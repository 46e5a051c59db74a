// Formats text for output: on one line, truncated, with counts and relative times.

/** Control characters can change how a terminal shows other text. */
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f]+/g;
// oxlint-disable-next-line no-control-regex
const CONTROL_IN_LINES = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]+/g;

/** Keeps tabs and line breaks, removes other control characters. */
export function plainLines(text: string): string {
  return text.replace(CONTROL_IN_LINES, "");
}

/** The text on one line, at most `maxChars` UTF-16 units, cut at a word if possible. */
export function oneLine(text: string, maxChars: number): string {
  // Slice first: collapsing whitespace in megabytes is slow.
  const flat = text
    .slice(0, maxChars * 4)
    .replace(CONTROL, " ")
    .replace(/\s+/g, " ")
    .trim();
  return truncate(flat, maxChars);
}

export function truncate(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  const cut = text.slice(0, maxChars - 1);
  const space = cut.lastIndexOf(" ");
  const whole = space > maxChars * 0.6 ? cut.slice(0, space) : cut;
  return `${whole.replace(/[\uD800-\uDBFF]$/, "").trimEnd()}…`;
}

export function ago(at: number, now: number): string {
  const minutes = Math.max(0, Math.round((now - at) / 60_000));
  if (minutes < 1) return "just now";
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.round(minutes / 60);
  if (hours < 36) return `${hours} h ago`;
  const days = Math.round(hours / 24);
  return days < 60 ? `${days} days ago` : `${Math.round(days / 30)} months ago`;
}

/** Not `toLocaleString`: it loads locale data for several milliseconds, and a hook should take about 30 ms. */
export function withCommas(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

export function count(number: number, noun: string): string {
  return `${withCommas(number)} ${noun}${number === 1 ? "" : "s"}`;
}

/** (["a", "b", "c"], 2) -> "a, b and 1 more" */
export function listText(items: readonly string[], shown: number): string {
  const more = items.length - shown;
  return items.slice(0, shown).join(", ") + (more > 0 ? ` and ${more} more` : "");
}
