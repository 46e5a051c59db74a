// Compares the readers with an independent count over real sessions. The data is not part of the project.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { Activity } from "../core/event.ts";
import { claudeCodeReader } from "./claude-code/transcript.ts";
import { codexReader } from "./codex/transcript.ts";
import { copilotReader } from "./copilot-cli/transcript.ts";
import type { LineReader } from "./transcript.ts";

/** A folder with real sessions. */
const DATA = process.env["C_MEM_REAL_SESSIONS"] ?? "";
const isThere = existsSync(join(DATA, "manifest.jsonl"));
if (!isThere) console.log(`skipped: no real sessions in ${DATA}`);

interface Counts {
  prompts: number;
  messages: number;
  toolUses: number;
  edits: number;
}
// oxlint-disable-next-line typescript/no-explicit-any -- A rough count over real lines.
type Line = any;

const READERS: Record<string, LineReader<unknown>> = {
  "Claude Code": claudeCodeReader as LineReader<unknown>,
  Codex: codexReader as LineReader<unknown>,
  "Copilot CLI": copilotReader as LineReader<unknown>,
};

function sessions(agent: string): { id: string; lines: Line[] }[] {
  const manifest = readFileSync(join(DATA, "manifest.jsonl"), "utf8").trim().split("\n");
  return manifest
    .map((line) => JSON.parse(line) as { agent: string; file: string; session_id: string })
    .filter((entry) => entry.agent === agent)
    .map((entry) => ({
      id: entry.session_id,
      lines: parse(gunzipSync(readFileSync(join(DATA, `${entry.file}.gz`))).toString()),
    }));
}

function parse(text: string): Line[] {
  return text.split("\n").flatMap((line) => {
    try {
      return line === "" ? [] : [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}

function readCounts(agent: string, id: string, lines: readonly Line[]): Counts & { unknown: object } {
  const reader = READERS[agent] ?? copilotReader;
  const notes = { unknown: {} };
  const state = reader.start({ agent, path: "/f.jsonl", sessionId: id, isSubagent: false, modifiedAt: 0, bytes: 0 });
  const events = [
    ...lines.flatMap((line) => reader.read(state as never, line, notes)),
    ...reader.flush(state as never),
  ];
  for (const event of events) expect(event).toMatchObject({ cwd: expect.stringMatching(/./), at: expect.any(Number) });
  const of = <K extends Activity["kind"]>(kind: K) =>
    events.map((event) => event.activity).filter((activity) => activity.kind === kind) as Extract<
      Activity,
      { kind: K }
    >[];
  const uuids = of("message")
    .filter((message) => message.role === "assistant")
    .map((message) => message.uuid);
  expect(new Set(uuids).size).toBe(uuids.length);
  const files = of("tool-use").flatMap((use) => use.files);
  return {
    // A queued prompt may be emitted twice; it is stored as one row.
    prompts:
      new Set(events.map(({ activity, at }) => (activity.kind === "prompt" ? `${at} ${activity.text}` : ""))).add("")
        .size - 1,
    messages: uuids.length,
    toolUses: of("tool-use").length,
    edits: files.filter((file) => file.kind !== "read").length,
    unknown: notes.unknown,
  };
}

const count = (lines: readonly Line[], fits: (line: Line) => unknown) => lines.filter(fits).length;
const sum = (lines: readonly Line[], amount: (line: Line) => number) =>
  lines.reduce((all, line) => all + amount(line), 0);

const ROUGH: Record<string, (lines: readonly Line[]) => Counts> = {
  Codex: (lines) => ({
    prompts: count(lines, (line) => line.payload?.type === "user_message"),
    messages: count(lines, (line) => line.payload?.type === "message" && line.payload.role === "assistant"),
    toolUses: count(lines, (line) => /_output$|^web_search_call$/.test(line.payload?.type)),
    edits: sum(lines, (line) =>
      line.payload?.type === "patch_apply_end" ? Object.keys(line.payload.changes).length : 0,
    ),
  }),
  "Copilot CLI": (lines) => ({
    prompts: count(lines, (line) => line.type === "user.message"),
    messages: count(lines, (line) => line.type === "assistant.message"),
    toolUses: count(lines, (line) => line.type === "tool.execution_complete"),
    edits: count(lines, (line) => line.type === "tool.execution_start" && /^(?:edit|create)$/.test(line.data.toolName)),
  }),
  "Claude Code": (lines) => {
    const said = lines.filter((line) => line.type === "assistant" && line.message.model !== "<synthetic>");
    const results = lines.filter(
      (line) => Array.isArray(line.message?.content) && line.message.content[0]?.tool_use_id,
    );
    return {
      prompts: count(lines, isTyped) + queuedOnly(lines),
      messages: new Set(said.map((line) => line.message.id)).size,
      toolUses: sum(
        results,
        (line) => line.message.content.filter((block: Line) => block.type === "tool_result").length,
      ),
      edits: count(results, ({ toolUseResult: result }) => result?.structuredPatch),
    };
  },
};

const OWN_COMMANDS =
  /^(?:clear|compact|model|exit|mcp|login|resume|plugin|context|usage|effort|rename|remote-control|reload-plugins|config|agents|theme)$/;

/** Counts prompts that were typed while the agent worked, not taken back, and have no later line of their own. */
function queuedOnly(lines: readonly Line[]): number {
  const notices = /^\s*(?:<task-notification|\{"task_id"|$)/;
  return lines.filter((line, index) => {
    if (line.operation !== "enqueue" || notices.test(line.content ?? "")) return false;
    if (OWN_COMMANDS.test(/^\/(\S+)/.exec(line.content)?.[1] ?? "")) return false;
    const after = lines.slice(index + 1);
    const text = line.content.trim();
    const ends = after.findIndex(
      (later) =>
        later.operation === "popAll" ||
        (isTyped(later) &&
          (later.message.content === line.content ||
            JSON.stringify(later.message.content).includes(`<command-name>${text.split(" ")[0]}<`))),
    );
    return ends < 0;
  }).length;
}

function isTyped(line: Line): boolean {
  const content = line.message?.content;
  if (line.type !== "user" || line.isMeta || line.isCompactSummary || content?.[0]?.type === "tool_result")
    return false;
  const text = String(
    typeof content === "string" ? content : content.map((block: Line) => block.text ?? "").join("\n"),
  );
  const command = /<command-name>\/?([^<]*)/.exec(text)?.[1];
  if (command !== undefined) return !OWN_COMMANDS.test(command);
  return (
    text.trim() !== "" && !/^\s*(?:<(?:task-notification|local-command-stdout|bash-)|\[Request interrupted)/.test(text)
  );
}

describe.skipIf(!isThere).each(Object.keys(READERS))("real sessions of %s", (agent) => {
  it("have as many events as an independent count finds", () => {
    const all = sessions(agent);
    expect(all.length).toBeGreaterThan(10);
    for (const { id, lines } of all) {
      expect({ id, ...readCounts(agent, id, lines) }).toEqual({ id, ...ROUGH[agent]?.(lines), unknown: {} });
    }
  });
});
