import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { findTranscripts } from "../agents/claude-code/discover.ts";
import { resolvePaths } from "../config/paths.ts";
import { counts } from "../store/counts.ts";
import { openStore } from "../store/open.ts";
import { readLines } from "./lines.ts";
import { startSync, syncFile } from "./sync.ts";

const line = (value: object) =>
  JSON.stringify({
    cwd: "/gone/app",
    sessionId: "s",
    timestamp: "2026-01-02T03:04:05.000Z",
    version: "2.1.0",
    gitBranch: "dev",
    ...value,
  });
const user = (content: unknown, extra = {}) =>
  line({ type: "user", uuid: `u${Math.random()}`, message: { role: "user", content }, ...extra });
const assistant = (...content: object[]) => line({ type: "assistant", message: { role: "assistant", content } });
const result = (id: string, content: string, extra = {}, toolUseResult?: unknown) =>
  user([{ type: "tool_result", tool_use_id: id, content, ...extra }], { promptId: "p1", toolUseResult });

const TRANSCRIPT = [
  line({ type: "api-request", body: "copy of everything" }),
  user("Fix it", { promptId: "p1" }),
  assistant({ type: "text", text: "Looking." }),
  assistant({ type: "tool_use", id: "t1", name: "Bash", input: { command: "npm test" } }),
  result("t1", "Exit code 1\nboom", { is_error: true }),
  assistant({ type: "tool_use", id: "t2", name: "Edit", input: { file_path: "/gone/app/a.ts" } }),
  result("t2", "ok", {}, { filePath: "/gone/app/a.ts", structuredPatch: [{ lines: ["-a", "+b", "+c"] }] }),
  assistant({ type: "text", text: "Fixed." }),
  user("<task-notification>x", { promptId: "p9" }),
  user("meta", { isMeta: true }),
  user("<command-name>/clear</command-name><command-args></command-args>", { promptId: "p8" }),
  user("<command-name>/review</command-name><command-args>now</command-args>", { promptId: "p2" }),
  user("<private>hush</private>", { promptId: "p3" }),
  assistant(
    { type: "text", text: "PRIVATEANSWER" },
    { type: "tool_use", id: "t3", name: "Bash", input: { command: "hush" } },
  ),
  result("t3", "hush"),
];

function machine(lines: readonly string[], subagent?: readonly string[]) {
  const root = mkdtempSync(join(tmpdir(), "c-mem-sync-"));
  const folder = join(root, "claude", "projects", "-gone-app");
  mkdirSync(join(folder, "s", "subagents"), { recursive: true });
  writeFileSync(join(folder, "s.jsonl"), lines.join("\n"));
  if (subagent !== undefined) writeFileSync(join(folder, "s", "subagents", "agent-a1.jsonl"), subagent.join("\n"));
  const paths = resolvePaths({ C_MEM_HOME: join(root, "home") });
  const db = openStore(paths.database);
  const sync = () => {
    const context = startSync(paths, {});
    return findTranscripts(join(root, "claude")).map((file) => syncFile(db, file, context));
  };
  return { db, sync };
}

describe("a transcript", () => {
  it("gives the same rows as the hooks would", () => {
    const { db, sync } = machine([...TRANSCRIPT, ""]);
    expect(sync()).toEqual([{ path: expect.stringMatching(/s\.jsonl$/), events: 5, malformed: [] }]);
    expect(db.all("SELECT prompt_number, prompt_id, text, response FROM prompts")).toEqual([
      { prompt_number: 1, prompt_id: "p1", text: "Fix it", response: "Fixed." },
      { prompt_number: 2, prompt_id: "p2", text: "/review now", response: null },
    ]);
    expect(db.all("SELECT tool_use_id, is_error, exit_code, prompt_number FROM tool_uses")).toEqual([
      { tool_use_id: "t1", is_error: 1, exit_code: 1, prompt_number: 1 },
      { tool_use_id: "t2", is_error: 0, exit_code: null, prompt_number: 1 },
    ]);
    expect(db.all("SELECT path, kind, added, removed FROM file_touches")).toEqual([
      { path: "a.ts", kind: "edit", added: 2, removed: 1 },
    ]);
    expect(db.all("SELECT session_id, git_branch, version FROM sessions")).toEqual([
      { session_id: "s", git_branch: "dev", version: "2.1.0" },
    ]);
    db.close();
  });

  it("read twice changes nothing", () => {
    const { db, sync } = machine(TRANSCRIPT);
    sync();
    const before = [counts(db), db.all("SELECT * FROM prompts"), db.all("SELECT * FROM sessions")];
    sync();
    expect([counts(db), db.all("SELECT * FROM prompts"), db.all("SELECT * FROM sessions")]).toEqual(before);
    db.close();
  });

  it("of a subagent belongs to the session that started it, and to its private turns", () => {
    const sub = (promptId: string, id: string) => [
      line({ type: "user", agentId: "a1", isSidechain: true, promptId, message: { content: "task" } }),
      line({
        type: "assistant",
        agentId: "a1",
        message: { content: [{ type: "tool_use", id, name: "Bash", input: { command: id } }] },
      }),
      line({
        type: "user",
        agentId: "a1",
        promptId,
        message: { content: [{ type: "tool_result", tool_use_id: id, content: "" }] },
      }),
    ];
    const { db, sync } = machine(TRANSCRIPT, [...sub("p1", "open"), ...sub("p3", "hidden")]);
    sync();
    expect(db.all("SELECT tool_use_id, agent_id FROM tool_uses WHERE agent_id IS NOT NULL")).toEqual([
      { tool_use_id: "open", agent_id: "a1" },
    ]);
    expect(
      db.all(
        "SELECT c.session_id, p.session_id AS parent FROM sessions c JOIN sessions p ON p.id = c.parent_session_db_id",
      ),
    ).toEqual([{ session_id: "agent-a1", parent: "s" }]);
    db.close();
  });

  it("with broken lines gives the rest and says which", () => {
    const { db, sync } = machine(["{broken", ...TRANSCRIPT, "null", "[]", "7", '{"type":"user"}', '{"cut": "of']);
    expect(sync()[0]?.malformed).toEqual([1]);
    expect(counts(db).prompts).toBe(2);
    db.close();
  });
});

describe("lines", () => {
  it("are read whole across chunks, and one that is too long is passed over", () => {
    const path = join(mkdtempSync(join(tmpdir(), "c-mem-lines-")), "f");
    const long = "x".repeat(3_000_000);
    writeFileSync(path, `a\n${long}\n\nb`);
    const lines = [...readLines(path, 1_000_000)].map(({ number, bytes, isWhole }) => [
      number,
      bytes?.toString(),
      isWhole,
    ]);
    expect(lines).toEqual([
      [1, "a", true],
      [2, undefined, true],
      [3, "", true],
      [4, "b", false],
    ]);
    expect([...readLines(path, 4_000_000)][1]?.bytes?.length).toBe(3_000_000);
  });
});
