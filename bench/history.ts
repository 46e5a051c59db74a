// Generates transcripts that resemble real ones in size and structure.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export const TURNS = 40;

/** Writes transcripts of about this many bytes in total. Returns the number of sessions. */
export function writeHistory(folder: string, bytes: number): number {
  mkdirSync(folder, { recursive: true });
  let sessions = 0;
  for (let written = 0; written < bytes; sessions++) {
    const text = transcript(sessions);
    writeFileSync(join(folder, `${sessionId(sessions)}.jsonl`), text);
    written += text.length;
  }
  return sessions;
}

export function sessionId(index: number): string {
  return `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;
}

/** Each turn has a prompt, answers, tool calls with outputs of some KB, and copies of whole files. */
export function transcript(index: number, turns = TURNS): string {
  return Array.from({ length: turns }, (_, turn) => turnLines(index, turn)).join("");
}

function turnLines(index: number, turn: number): string {
  const id = `${index}-${turn}`;
  const words = `module${turn % 17} handler${index % 13} timeout while loading settings of customer ${id}`;
  const output = Array.from({ length: 60 }, (_, row) => `src/file-${row}.ts:${row * 7}: ${words} ${row}`).join("\n");
  const lines: object[] = [
    { type: "user", promptId: `p${id}`, message: { content: `Please look into the ${words}` } },
    {
      type: "assistant",
      message: { id: `m${id}`, content: [{ type: "text", text: `I will look at ${words}. `.repeat(6) }] },
    },
  ];
  for (let call = 0; call < 5; call++) {
    lines.push(
      {
        type: "assistant",
        message: {
          id: `c${id}-${call}`,
          content: [
            { type: "tool_use", id: `t${id}-${call}`, name: "Bash", input: { command: `grep -rn handler${call} src` } },
          ],
        },
      },
      {
        type: "user",
        promptId: `p${id}`,
        message: { content: [{ type: "tool_result", tool_use_id: `t${id}-${call}`, content: output }] },
        toolUseResult: { stdout: output, stderr: "" },
      },
    );
  }
  lines.push({ type: "file-history-snapshot", snapshot: { copy: output.repeat(3) } });
  return lines.map((value) => line(index, turn, value)).join("");
}

export function line(index: number, turn: number, value: object): string {
  // The times increase with the turns: an earlier time would insert a turn and renumber the later ones.
  const at = new Date(Date.UTC(2026, 0, 1 + (index % 28), 0, (index % 60) + 10 * turn)).toISOString();
  return `${JSON.stringify({ ...value, uuid: `${index}-${turn}-${JSON.stringify(value).length}`, timestamp: at, cwd: "/work/app", sessionId: sessionId(index), version: "2.1.0", gitBranch: "main" })}\n`;
}
