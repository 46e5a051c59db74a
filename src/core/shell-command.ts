// Shell commands made comparable: the same work typed with another folder, redirection or message is one command.

/** Longer quoted texts are messages and patterns: what is in them does not make another command. */
const QUOTED_CHARS = 24;
const MAX_CHARS = 4_000;

/** Half of all commands start with a change of folder, some with a comment; that is not what the command is about. */
export function normaliseCommand(command: string): string {
  return command
    .trim()
    .replace(/^(?:#[^\n]*\n\s*)+/, "")
    .replace(/^cd\s+(?:"[^"]*"|'[^']*'|\S+)\s*(?:&&|;)\s*/, "")
    .replace(/\s+/g, " ");
}

/** The command without the folder it ran in and without what only shortens its output. */
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

/** What a person would look up: long quoted texts left out. */
export function commandForm(command: string): string {
  return commandKey(command).replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, (quoted) =>
    quoted.length > QUOTED_CHARS ? `${quoted[0]}…${quoted[0]}` : quoted,
  );
}

/** The program and what it is told to do, up to the first option or path: "bun run lint", "git commit". */
export function commandHead(command: string): string {
  const words: string[] = [];
  for (const word of commandKey(command).split(" ")) {
    if (!/^[\w.:@-]+$/.test(word) || word.startsWith("-") || words.length === 3) break;
    words.push(word);
  }
  return words.length < 2 ? "" : words.join(" ");
}

/** The single commands of a line such as "cd a && npm test | tail; ls". What follows a here-document's mark is its text. */
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
