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

export interface CommandPart {
  command: string;
  /** What stands before it: "" for the first part, "\n" for a new line. */
  operator: "" | "&&" | "||" | "|" | ";" | "&" | "\n";
}

/** "cd a && npm test | tail; ls" -> ["cd a", "npm test", "tail", "ls"] */
export function splitCommand(command: string): string[] {
  return splitChain(command).map((part) => part.command);
}

/** The commands of a line and the operators between them. Leaves out the text of here-documents. */
export function splitChain(command: string): CommandPart[] {
  const text = command.slice(0, MAX_CHARS);
  const parts: CommandPart[] = [];
  let part = "";
  let operator: CommandPart["operator"] = "";
  let quote = "";
  let hereDocument = "";
  const end = (next: CommandPart["operator"]): void => {
    if (part.trim() !== "") parts.push({ command: part.trim(), operator });
    // After an empty part the stricter operator stays: "a &&\n b"
    operator = part.trim() === "" && next === "\n" ? operator : next;
    part = "";
  };
  for (let index = 0; index < text.length; index++) {
    const character = text[index] as string;
    const next = text[index + 1];
    if (character === "\\") {
      part += character + (next ?? "");
      index += 1;
    } else if (quote !== "") {
      part += character;
      if (character === quote) quote = "";
    } else if (character === '"' || character === "'") {
      quote = character;
      part += character;
    } else if (character === "<" && next === "<") {
      const start = /^<<[-<]?\s*(["']?)(\w+)\1/.exec(text.slice(index, index + 100));
      if (start === null || start[0].startsWith("<<<")) part += "<<";
      else hereDocument = start[2] as string;
      index += (start?.[0].startsWith("<<<") === false ? start[0].length : 2) - 1;
    } else if (character === "\n" && hereDocument !== "") {
      end("\n");
      const close = new RegExp(String.raw`\n\s*${hereDocument}[ \t]*(?=\n|$)`).exec(text.slice(index));
      if (close === null) return parts;
      index += close.index + close[0].length - 1;
      hereDocument = "";
    } else if (character === "&" && (text[index - 1] === ">" || next === ">")) {
      part += character;
    } else if (character === "&" || character === "|") {
      const isDouble = next === character;
      if (isDouble) index += 1;
      end(isDouble ? (character === "&" ? "&&" : "||") : character);
    } else if (character === ";" || character === "\n") {
      end(character);
    } else part += character;
  }
  end("");
  return parts;
}

/** Words before the program: variables, and programs that run another one. */
const BEFORE_PROGRAM =
  /^(?:(?:[A-Za-z_]\w*=(?:"[^"]*"|'[^']*'|\S*)|sudo|env|time|nohup|exec|command|then|do|else|!|\(|\{|timeout\s+(?:-\S+\s+)*[\d.]+[smh]?)\s+)+/;

/** "CI=1 timeout 60 npm test" -> "npm test" */
export function withoutPrelude(command: string): string {
  return command.replace(BEFORE_PROGRAM, "");
}
