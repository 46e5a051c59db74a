import { mkdirSync, mkdtempSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { findTranscripts } from "./claude-code/discover.ts";
import { findCodexTranscripts } from "./codex/discover.ts";
import { findCopilotHistory, findCopilotTranscripts } from "./copilot-cli/discover.ts";
import { copilotHistoryReader } from "./copilot-cli/history.ts";
import { AGENTS } from "./spec.ts";
import type { TranscriptFile } from "./transcript.ts";

const ID = "019f0000-0000-7000-8000-00000000000";

/** Writes the files; the first is the oldest. */
function home(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), "c-mem-discover-"));
  for (const [index, [path, text]] of Object.entries(files).entries()) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), text);
    utimesSync(join(folder, path), 1_000 + index, 1_000 + index);
  }
  return folder;
}
const brief = (files: TranscriptFile[], folder: string) =>
  files.map((file) => [file.path.slice(folder.length + 1).replaceAll("\\", "/"), file.sessionId, file.isSubagent]);

describe("discovery finds transcripts, newest first and subagents last,", () => {
  it("of Codex", () => {
    const spawn = { subagent: { thread_spawn: { parent_thread_id: `${ID}1`, depth: 1 } } };
    const folder = home({
      [`.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-${ID}1.jsonl`]: "{}\n",
      [`.codex/sessions/2026/01/03/rollout-2026-01-03T03-04-05-${ID}2.jsonl`]: "",
      [`.codex/archived_sessions/rollout-2025-12-03T03-04-05-${ID}3.jsonl`]: "{}",
      [`.codex/sessions/2026/01/03/rollout-2026-01-03T03-04-05-${ID}4.jsonl.zst`]: "packed",
      ".codex/sessions/notes.txt": "",
      [`.codex/sessions/2026/01/03/rollout-2026-01-03T03-04-06-${ID}5.jsonl`]: JSON.stringify({
        type: "session_meta",
        payload: { id: `${ID}5`, source: spawn },
      }),
    });
    const expected = [
      [`.codex/archived_sessions/rollout-2025-12-03T03-04-05-${ID}3.jsonl`, `${ID}3`, false],
      [`.codex/sessions/2026/01/03/rollout-2026-01-03T03-04-05-${ID}2.jsonl`, `${ID}2`, false],
      [`.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-${ID}1.jsonl`, `${ID}1`, false],
      [`.codex/sessions/2026/01/03/rollout-2026-01-03T03-04-06-${ID}5.jsonl`, `${ID}1`, true],
    ];
    expect(brief(findCodexTranscripts({ HOME: folder }), folder)).toEqual(expected);
    expect(brief(findCodexTranscripts({ HOME: "/nowhere", CODEX_HOME: join(folder, ".codex") }), folder)).toEqual(
      expected,
    );
    expect(findCodexTranscripts({ HOME: "/nowhere" })).toEqual([]);
  });

  it("of Copilot CLI", () => {
    const folder = home({
      ".copilot/session-state/s1/events.jsonl": "{}",
      ".copilot/session-state/s1/workspace.yaml": "",
      ".copilot/session-state/s2.jsonl": "{}",
      ".copilot/session-state/empty/notes": "",
    });
    const expected = [
      [".copilot/session-state/s2.jsonl", "s2", false],
      [".copilot/session-state/s1/events.jsonl", "s1", false],
    ];
    expect(brief(findCopilotTranscripts({ HOME: folder }), folder)).toEqual(expected);
    expect(brief(findCopilotTranscripts({ COPILOT_HOME: join(folder, ".copilot") }), folder)).toEqual(expected);
  });

  it("of Claude Code", () => {
    const folder = home({
      "projects/-app/s1/subagents/agent-a1.jsonl": "",
      "projects/-app/s1.jsonl": "",
      "projects/-app/s2.jsonl": "",
      "projects/-app/memory/MEMORY.md": "",
    });
    expect(brief(findTranscripts({ CLAUDE_CONFIG_DIR: folder }), folder)).toEqual([
      ["projects/-app/s2.jsonl", "s2", false],
      ["projects/-app/s1.jsonl", "s1", false],
      ["projects/-app/s1/subagents/agent-a1.jsonl", "s1", true],
    ]);
  });
});

describe("a session of the first Copilot CLI", () => {
  const use = { id: "t1", function: { name: "bash", arguments: '{"command":"ls"}' } };
  const session = {
    sessionId: "real-id",
    startTime: "2025-10-01T10:00:00.000Z",
    chatMessages: [
      { role: "system", content: "You are" },
      { role: "user", content: "<current_datetime>now</current_datetime>\n\nlist" },
      { role: "assistant", content: "", tool_calls: [use] },
      { role: "tool", tool_call_id: "t1", content: "a\n<exited with exit code 0>" },
      { role: "assistant", content: "One file." },
    ],
  };

  it("is read from one file", () => {
    const folder = home({
      "history-session-state/session_x_1790848800000.json": JSON.stringify(session, undefined, 2),
    });
    const [file] = findCopilotHistory({ COPILOT_HOME: folder });
    const events = file === undefined ? [] : copilotHistoryReader.read(file, { unknown: {} });
    expect(events).toMatchObject([
      { sessionId: "real-id", cwd: join(folder, "history-session-state"), activity: { kind: "prompt", text: "list" } },
      { activity: { name: "Bash", input: { command: "ls" }, output: "a", exitCode: 0 } },
      { activity: { kind: "message", uuid: "real-id:4", text: "One file." } },
      { activity: { kind: "turn-end", response: "One file." } },
    ]);
  });

  it("that is broken gives no events and is counted", () => {
    const folder = home({ "history-session-state/session_x_1.json": '{"cut": "of' });
    const notes = { unknown: {} };
    expect(
      findCopilotHistory({ COPILOT_HOME: folder }).flatMap((file) => copilotHistoryReader.read(file, notes)),
    ).toEqual([]);
    expect(notes.unknown).toEqual({ "(no JSON)": 1 });
  });
});

describe("the transcript of one session", () => {
  it("is found by the path that its hooks name, the same as in the full list", () => {
    const folder = home({
      [`.codex/sessions/2026/01/02/rollout-2026-01-02T03-04-05-${ID}1.jsonl`]: "{}\n",
      ".gemini/tmp/app/chats/session-2026-01-02T03-04-019f0000.jsonl": `{"sessionId":"${ID}2"}\n`,
      [`.copilot/session-state/${ID}3/events.jsonl`]: "{}\n",
    });
    mkdirSync(join(folder, ".local", "share", "opencode"), { recursive: true });
    const db = new DatabaseSync(join(folder, ".local", "share", "opencode", "opencode.db"));
    db.exec(`CREATE TABLE session (id TEXT, parent_id TEXT, time_updated INTEGER);
      CREATE TABLE part (session_id TEXT, time_updated INTEGER, data TEXT);
      INSERT INTO session VALUES ('ses_1', NULL, 5), ('ses_2', 'ses_1', 6), ('ses_3', NULL, 7)`);
    db.close();
    const sources = AGENTS.filter(({ id }) => id !== "claude-code").flatMap((agent) => agent.sources);
    const found = sources.flatMap(({ find, ofSession }) =>
      find({ HOME: folder })
        .filter((file) => !file.isSubagent && ofSession !== undefined)
        .map((file) => ({ file, again: ofSession?.(file.path) })),
    );
    expect(found.map(({ file }) => file.agent)).toEqual(["codex", "gemini-cli", "copilot-cli", "opencode", "opencode"]);
    for (const { file, again } of found) expect(again).toContainEqual(file);
    const root = found.find(({ file }) => file.path.endsWith("#ses_1"));
    expect(root?.again?.map((file) => file.path.split("#")[1])).toEqual(["ses_1", "ses_2"]);
    for (const { ofSession } of sources) expect(ofSession?.(join(folder, "nothing")) ?? []).toEqual([]);
  });
});
