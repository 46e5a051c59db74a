import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { claudeCodeReader } from "./transcript.ts";

const shared = { sessionId: "s", cwd: "/app", timestamp: "2026-01-02T03:04:05.000Z" };
const user = (uuid: string, text: string) => ({
  ...shared,
  type: "user",
  uuid,
  message: { role: "user", content: text },
});
const answer = (uuid: string) => ({
  ...shared,
  type: "assistant",
  uuid,
  message: { id: `msg_${uuid}`, role: "assistant", content: [{ type: "text", text: "Done." }] },
});
const summary = (title: string, leafUuid: string) => ({ type: "summary", summary: title, leafUuid });

function titles(lines: readonly object[], folder = mkdtempSync(join(tmpdir(), "c-mem-titles-"))): string[] {
  const path = join(folder, "s.jsonl");
  const file = { agent: "claude-code", path, sessionId: "s", isSubagent: false, modifiedAt: 1, bytes: 1 };
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const state = claudeCodeReader.start(file);
  return lines
    .flatMap((line) => claudeCodeReader.read(state, line, { unknown: {} }))
    .flatMap(({ activity }) => (activity.kind === "title" ? [activity.title] : []));
}

describe("a summary line", () => {
  it("titles the session with its message, before or after it, the later message last", () => {
    const lines = [user("u1", "Fix it"), answer("a1"), user("u2", "Go on"), answer("a2")];
    expect(titles([summary("Second", "a2"), summary("First", "a1"), ...lines])).toEqual(["First", "Second"]);
    expect(titles([...lines, summary("Second", "a2")])).toEqual(["Second"]);
  });

  it("titles no session that does not have the message", () => {
    expect(titles([summary("Of another", "x"), user("u1", "Fix it"), answer("a1")])).toEqual([]);
  });

  it("titles the session from the file of a later one", () => {
    const folder = mkdtempSync(join(tmpdir(), "c-mem-titles-"));
    const later = [summary("Of another", "x"), summary("Fixed the upload", "a1"), user("u9", "Next")];
    writeFileSync(join(folder, "later.jsonl"), later.map((line) => `${JSON.stringify(line)}\n`).join(""));
    expect(titles([user("u1", "Fix it"), answer("a1")], folder)).toEqual(["Fixed the upload"]);
  });

  it("does not replace the title that the agent or the user gave", () => {
    const lines = [{ type: "ai-title", aiTitle: "Given" }, user("u1", "Fix it"), answer("a1"), summary("Found", "a1")];
    expect(titles(lines)).toEqual(["Given"]);
  });
});
