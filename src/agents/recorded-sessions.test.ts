// Reads transcripts recorded from the real agents while hooks injected text after every step.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Activity, AgentEvent } from "../core/event.ts";
import { codexReader } from "./codex/transcript.ts";
import { copilotReader } from "./copilot-cli/transcript.ts";
import { readWhole } from "./agent-files.ts";
import { geminiReader } from "./gemini-cli/transcript.ts";
import type { LineReader, TranscriptFile } from "./transcript.ts";

const FIXTURES = join(import.meta.dirname, "../../test/fixtures/agent-hooks");
const about = (agent: string, name: string): TranscriptFile => ({
  agent,
  path: join(FIXTURES, agent, name),
  sessionId: "?",
  isSubagent: false,
  modifiedAt: 0,
  bytes: 0,
});

function readLines<State>(reader: LineReader<State>, file: TranscriptFile, notes: { unknown: object }): AgentEvent[] {
  const state = reader.start(file);
  const lines = (readWhole(file.path) ?? "").trim().split("\n");
  const events = lines.flatMap((line) =>
    reader.read(state, JSON.parse(line), notes as { unknown: Record<string, number> }),
  );
  return [...events, ...reader.flush(state)];
}

const uses = (events: AgentEvent[]) =>
  events.flatMap(({ activity }): Partial<Extract<Activity, { kind: "tool-use" }>>[] =>
    activity.kind === "tool-use" ? [activity] : [],
  );
const prompts = (events: AgentEvent[]) =>
  events.flatMap(({ activity }) => (activity.kind === "prompt" ? [activity.text] : []));

describe("a recorded session", () => {
  it("of Codex CLI 0.166 has its prompt, exit codes and changed files", () => {
    const notes = { unknown: {} };
    const events = readLines(codexReader, about("codex", "rollout.jsonl"), notes);
    expect(notes.unknown).toEqual({});
    expect(prompts(events)).toEqual(["please change app.txt"]);
    expect(uses(events)).toMatchObject([
      { toolUseId: "call_0", name: "Bash", output: "hello\n", exitCode: 0, isError: false },
      { toolUseId: "call_1", name: "Bash", exitCode: 2, isError: true },
      {
        toolUseId: "call_2",
        name: "Edit",
        exitCode: 0,
        files: [{ path: "/home/ada/app/app.txt", kind: "edit", added: 1, removed: 1 }],
      },
    ]);
    expect(JSON.stringify(events)).not.toContain("told-");
  });

  it("of Gemini CLI 0.61 has the typed and printed text, without text that hooks injected", () => {
    const file = about("gemini-cli", "session.jsonl");
    const events = geminiReader.read(file, { unknown: {} });
    expect(prompts(events)).toEqual(["please look at app.txt and change it"]);
    expect(uses(events)).toMatchObject([
      { name: "Read", output: "hello\n", isError: false },
      { name: "Bash", output: "ls: cannot access 'nope-dir': No such file or directory", exitCode: 2, isError: true },
      { name: "Edit", files: [{ kind: "edit", added: 1, removed: 1 }] },
      { name: "Write", files: [{ kind: "create", added: 2, removed: 0 }] },
    ]);
    expect(JSON.stringify(events)).not.toContain("told-");
  });

  it("of Copilot CLI 1.0.102 has the typed and printed text, without text that hooks injected", () => {
    const notes = { unknown: {} };
    const events = readLines(copilotReader, about("copilot-cli", "events.jsonl"), notes);
    expect(notes.unknown).toEqual({});
    expect(prompts(events)).toEqual(["please look at app.txt and change it"]);
    expect(uses(events)).toMatchObject([
      { toolUseId: "call_0", name: "Read", output: "hello\n", isError: false },
      { name: "Bash", output: "ls: cannot access 'nope-dir': No such file or directory", exitCode: 2, isError: true },
      { name: "Edit", files: [{ kind: "edit", added: 1, removed: 1 }] },
      { name: "Write", files: [{ kind: "create", added: 2, removed: 0 }] },
    ]);
    expect(JSON.stringify(events)).not.toContain("told-");
  });
});
