// Makes shell commands comparable: "npm test" and "cd a && npm test 2>&1 | tail" count as the same command.

/** Longer quoted arguments are messages or patterns. Commands that differ only in them count as the same. */
const QUOTED_CHARS = 24;
const MAX_CHARS = 4_000;

/** Removes leading comments and a leading `cd` (half of all commands begin with one). Puts the rest on one line. */
export function normaliseCommand(command: string): string {
  return command
    .trim()
    .replace(/^(?:#[^\n]*\n\s*)+/, "")
    .replace(/^cd\s+(?:"[^"]*"|'[^']*'|\S+)\s*(?:&&|;)\s*/, "")
    .replace(/\s+/g, " ");
}

/** "cd a && npm test 2>&1 | tail -5" -> "npm test" */
export function commandKey(command: string): string {
  let key = normaliseCommand(command.slice(0, MAX_CHARS))
    .replace(/ 2>&1\b/g, "")
    .replace(/ 2?>\s?\/dev\/null\b/g, "");
  for (let before = ""; before !== key;) {
    before = key;
    key = key.replace(/\s*\|\s*(?:tail|head|cat|less)(?: -{1,2}[\w=-]+| \d+)*\s*$/, "").trim();
  }
  return key;
}

/** "git commit -m 'a long message …'" -> "git commit -m '…'" */
export function commandForm(command: string): string {
  return commandKey(command).replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (quoted) =>
    quoted.length > QUOTED_CHARS ? `${quoted[0]}…${quoted[0]}` : quoted,
  );
}

/** The first two or three words, up to an option or path: "bun run lint", "git commit". "" if there is only one. */
export function commandHead(command: string): string {
  const words: string[] = [];
  for (const word of commandKey(command).split(" ")) {
    if (!/^[\w.:@-]+$/.test(word) || word.startsWith("-") || words.length === 3) break;
    words.push(word);
  }
  return words.length < 2 ? "" : words.join(" ");
}

/** Words in both commands, as a share of the longer command's words: 0 to 1. */
export function commandOverlap(a: string, b: string): number {
  const words = (command: string): Set<string> => new Set(commandKey(command).split(" ").filter(Boolean));
  const [one, other] = [words(a), words(b)];
  return [...one].filter((word) => other.has(word)).length / Math.max(1, one.size, other.size);
}

/** "cd a && npm test | tail; ls" -> ["cd a", "npm test", "tail", "ls"]. Stops at a here-document. */
export function splitCommand(command: string): string[] {
  const text = command.slice(0, MAX_CHARS);
  const parts: string[] = [];
  let part = "";
  let quote = "";
  for (let index = 0; index < text.length; index++) {
    const character = text[index] as string;
    if (character === "\\") {
      part += character + (text[++index] ?? "");
    } else if (quote !== "") {
      part += character;
      if (character === quote) quote = "";
    } else if (character === '"' || character === "'") {
      quote = character;
      part += character;
    } else if (character === "<" && text[index + 1] === "<") {
      break;
    } else if (character === "&" && text[index - 1] === ">") {
      part += character;
    } else if (/[;|&\n]/.test(character)) {
      parts.push(part);
      part = "";
    } else part += character;
  }
  return [...parts, part].map((one) => one.trim()).filter((one) => one !== "");
}
