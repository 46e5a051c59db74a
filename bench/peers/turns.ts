// The turns of a Claude Code transcript, for tools that do not read transcripts: what an agent could write about them.
export interface Turn {
  prompt: string;
  /** The agent's last message. */
  answer: string;
  /** Files that were edited. */
  files: string[];
}

interface Line {
  type?: string;
  isMeta?: boolean;
  isSidechain?: boolean;
  timestamp?: string;
  message?: { content?: string | Part[] };
}

interface Part {
  type: string;
  text?: string;
  /** Of a tool's result. */
  content?: string | { text?: string }[];
  input?: { file_path?: string };
}

/** `said`: everything that was said and that tools returned. */
export function turnsOf(transcript: string): { turns: Turn[]; startedAt: number; said: string } {
  const turns: Turn[] = [];
  const said: string[] = [];
  let startedAt = 0;
  for (const line of transcript.split("\n").flatMap(parse)) {
    if (startedAt === 0 && line.timestamp !== undefined) startedAt = Date.parse(line.timestamp);
    const content = line.message?.content ?? [];
    const parts: Part[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
    said.push(...parts.flatMap(wordsOf));
    if (line.isMeta === true || line.isSidechain === true) continue;
    const text = parts.flatMap((part) => (part.type === "text" ? [part.text ?? ""] : [])).join("\n");
    const turn = turns.at(-1);
    if (line.type === "user" && text !== "") turns.push({ prompt: text, answer: "", files: [] });
    if (line.type !== "assistant" || turn === undefined) continue;
    if (text !== "") turn.answer = text;
    turn.files.push(...parts.flatMap(({ input }) => input?.file_path ?? []));
  }
  return {
    turns: turns.map((turn) => ({ ...turn, files: [...new Set(turn.files)] })),
    startedAt,
    said: said.join("\n"),
  };
}

function wordsOf({ text, content }: Part): string[] {
  const inner = typeof content === "string" ? [content] : (content ?? []).map((part) => part.text ?? "");
  return text === undefined ? inner : [text, ...inner];
}

function parse(line: string): Line[] {
  try {
    return [JSON.parse(line) as Line];
  } catch {
    // Cut-off and empty lines.
    return [];
  }
}

/** One text for each turn, as an agent would write it into a memory. */
export function turnText({ prompt, answer, files }: Turn): string {
  const list = files.length === 0 ? "" : `\nFiles: ${files.join(", ")}`;
  return (
    [prompt, answer]
      .filter((part) => part !== "")
      .join("\n\n")
      .slice(0, MAX_CHARS) + list
  );
}

/** Some tools refuse or cut longer texts. */
const MAX_CHARS = 8_000;
