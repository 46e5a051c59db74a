// Generates transcripts of two years: sessions of many sizes in several projects, with realistic word frequencies and
// a few huge outputs.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { seeded } from "../test/chaos/chance.ts";
import { sessionId } from "./history.ts";

const SPAN_MS = 2 * 365 * 86_400_000;
const VOCABULARY = 40_000;
const POOL_LINES = 30_000;
const WORDS_PER_LINE = 9;
const MAX_TURNS = 40;
/** The mean number of tool uses per turn in real sessions. */
const USES_PER_TURN = 9;
/** Half of all outputs have up to 4 lines; one in a thousand has up to 1,500, the limit of Claude Code. */
const OUTPUT_LINES = [
  [0.5, 4],
  [0.9, 30],
  [0.99, 150],
  [0.999, 700],
  [1, 1_500],
] as const;
const SYLLABLES = "ba de fi go hu ka le mi no pu ra se ti vo wu za".split(" ");
/** The most frequent words. */
export const COMMON_WORDS = [word(0), word(1), word(2), word(3)];

type Random = () => number;

interface Session {
  id: string;
  number: number;
  cwd: string;
  at: number;
  random: Random;
  pool: readonly string[];
}

/**
 * Writes one folder of transcripts per project, as Claude Code does. The times of the sessions increase over the two years
 * before `now`. Returns the number of sessions.
 */
export function writeYears(claudeDir: string, projects: readonly string[], bytes: number, now: number): number {
  const random = seeded(11);
  const pool = Array.from({ length: POOL_LINES }, (_, row) => poolLine(random, row));
  const folders = projects.map((_, index) => join(claudeDir, "projects", `project-${index}`));
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  let number = 0;
  for (let written = 0; written < bytes; number++) {
    // A few projects get most of the work.
    const project = Math.floor(random() ** 2 * projects.length);
    const at = now - SPAN_MS * (1 - written / bytes);
    const text = sessionLines({ id: sessionId(number), number, cwd: projects[project] ?? "", at, random, pool });
    writeFileSync(join(folders[project] ?? "", `${sessionId(number)}.jsonl`), text);
    written += text.length;
  }
  return number;
}

/** A word that only this session has. */
export function rareWord(session: number): string {
  return `needle${session}x`;
}

function sessionLines(session: Session): string {
  const turns = 1 + Math.floor(session.random() ** 3 * MAX_TURNS);
  return Array.from({ length: turns }, (_, turn) => turnOf(session, turn)).join("");
}

function turnOf(session: Session, turn: number): string {
  const { number, random } = session;
  const id = `${number}-${turn}`;
  const about = turn === 0 ? ` about ${rareWord(number)}` : "";
  const promptId = `p${id}`;
  const lines: object[] = [
    { type: "user", promptId, message: { content: `Please see to this${about}: ${someLines(session, 2)}` } },
    { type: "assistant", message: said(session, `m${id}`, { type: "text", text: someLines(session, 3) }) },
  ];
  const uses = Math.floor(random() * 2 * USES_PER_TURN);
  for (let use = 0; use < uses; use++) lines.push(...useOf(session, `${id}-${use}`, promptId));
  lines.push({ type: "assistant", message: said(session, `e${id}`, { type: "text", text: someLines(session, 8) }) });
  return lines.map((value, index) => lineOf(session, turn, index, value)).join("");
}

/** The lines of a command, a read or an edit. Transcripts have each output of a read or command twice, and edited files whole. */
function useOf(session: Session, id: string, promptId: string): object[] {
  const { cwd, random } = session;
  const file_path = join(cwd, "src", `part-${Math.floor(random() * 40)}`, `file-${Math.floor(random() ** 2 * 300)}.ts`);
  const output = someLines(session, outputLines(random));
  const kind = random();
  const [name, input, toolUseResult] =
    kind < 0.5
      ? ["Bash", { command: `grep -rn "${someLines(session, 1)}" src` }, { stdout: output, stderr: "" }]
      : kind < 0.75
        ? ["Read", { file_path }, { type: "text", file: { filePath: file_path, content: output } }]
        : [
            "Edit",
            { file_path, old_string: someLines(session, 3), new_string: someLines(session, 4) },
            { filePath: file_path, originalFile: someLines(session, 80), structuredPatch: [] },
          ];
  const isError = random() < 0.05;
  return [
    { type: "assistant", message: said(session, `c${id}`, { type: "tool_use", id: `t${id}`, name, input }) },
    {
      type: "user",
      promptId,
      message: { content: [{ type: "tool_result", tool_use_id: `t${id}`, content: output, is_error: isError }] },
      toolUseResult,
    },
    { type: "progress", data: { type: "hook_progress", content: someLines(session, 12) } },
  ];
}

function said({ random }: Session, id: string, content: object): object {
  const usage = { input_tokens: 12, output_tokens: Math.floor(random() * 900), cache_read_input_tokens: 40_000 };
  return { id, model: "claude-sonnet-4-5", content: [content], usage };
}

function lineOf({ id, cwd, at }: Session, turn: number, index: number, value: object): string {
  const timestamp = new Date(at + turn * 120_000 + index * 900).toISOString();
  const uuid = `${id}-${turn}-${index}`;
  return `${JSON.stringify({ ...value, uuid, timestamp, cwd, sessionId: id, version: "2.1.0", gitBranch: "main" })}\n`;
}

function outputLines(random: Random): number {
  const chance = random();
  const most = OUTPUT_LINES.find(([share]) => chance <= share)?.[1] ?? 1;
  return 1 + Math.floor(random() * most);
}

function someLines({ random, pool }: Session, lines: number): string {
  return Array.from({ length: lines }, () => pool[Math.floor(random() * pool.length)]).join("\n");
}

function poolLine(random: Random, row: number): string {
  // The power makes few words frequent and most rare.
  const words = Array.from({ length: WORDS_PER_LINE }, () => word(Math.floor(random() ** 4 * VOCABULARY)));
  return `src/part-${row % 40}/file-${row % 300}.ts:${row % 999}: ${words.join(" ")}`;
}

function word(index: number): string {
  let text = "";
  for (let rest = index + SYLLABLES.length; rest > 0; rest = Math.floor(rest / SYLLABLES.length)) {
    text += SYLLABLES[rest % SYLLABLES.length];
  }
  return text;
}
