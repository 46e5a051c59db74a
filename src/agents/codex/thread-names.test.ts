import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { codexReader } from "./transcript.ts";

const THREAD = "019a0000-0000-7000-8000-000000000001";

it("titles a thread with its last name in Codex's index, but not a subagent's thread", () => {
  const home = mkdtempSync(join(tmpdir(), "c-mem-codex-"));
  const folder = join(home, "sessions", "2026", "01", "02");
  mkdirSync(folder, { recursive: true });
  const entries = [
    { id: THREAD, thread_name: "First name", updated_at: "2026-01-02T03:04:05Z" },
    { id: "another", thread_name: "Another", updated_at: "2026-01-02T03:04:05Z" },
    { id: THREAD, thread_name: "Retry the uploads", updated_at: "2026-01-02T03:05:05Z" },
  ];
  const lines = [...entries.map((one) => JSON.stringify(one)), "{cut off"];
  writeFileSync(join(home, "session_index.jsonl"), lines.join("\n"));
  const titles = (isSubagent: boolean): unknown[] => {
    const path = join(folder, `rollout-2026-01-02T03-04-05-${THREAD}.jsonl`);
    const state = codexReader.start({ agent: "codex", path, sessionId: THREAD, isSubagent, modifiedAt: 1, bytes: 1 });
    const meta = {
      ...(isSubagent && { parent_thread_id: "another" }),
      id: THREAD,
      cwd: "/app",
      timestamp: "2026-01-02T03:04:05.000Z",
    };
    codexReader.read(state, { timestamp: meta.timestamp, type: "session_meta", payload: meta }, { unknown: {} });
    return codexReader.flush(state).map(({ activity }) => activity);
  };
  expect(titles(false)).toEqual([{ kind: "title", title: "Retry the uploads" }]);
  expect(titles(true)).toEqual([]);
});
