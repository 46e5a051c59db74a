// c-mem sync --archive: keeps filtered copies of transcripts after the agent deletes them.
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { createWorld, data, rows, run, type World } from "./harness.ts";

const SESSION = "11111111-2222-4333-8444-555555555555";
const SECRET = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
const QUESTION = `SELECT p.prompt_number, p.text, p.response, group_concat(t.output) AS output FROM prompts p
  LEFT JOIN tool_uses t ON t.session_db_id = p.session_db_id AND t.prompt_number = p.prompt_number GROUP BY p.id ORDER BY p.id`;

function line(world: World, index: number, value: object): string {
  const timestamp = new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();
  return `${JSON.stringify({ uuid: `u${index}`, sessionId: SESSION, cwd: world.project, timestamp, version: "2.1.0", ...value })}\n`;
}
const user = (world: World, index: number, content: unknown, extra = {}) =>
  line(world, index, { type: "user", promptId: `p${index}`, message: { role: "user", content }, ...extra });
const said = (world: World, index: number, ...content: object[]) =>
  line(world, index, { type: "assistant", message: { id: `m${index}`, role: "assistant", content } });
const call = (id: string, name: string, input: object) => ({ type: "tool_use", id, name, input });
const result = (world: World, index: number, promptId: string, id: string, content: string) =>
  user(world, index, [{ type: "tool_result", tool_use_id: id, content }], { promptId });

function transcript(world: World): string {
  return join(world.claudeDir, "projects", "-app", `${SESSION}.jsonl`);
}

function write(world: World, text: string, path = transcript(world)): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

function open(world: World): string {
  return (
    user(world, 1, `Deploy with ${SECRET} <private>TAGGED</private>`) +
    `${JSON.stringify({ type: "api-request", body: "COPYOFALL" })}\n` +
    said(world, 2, call("t1", "Bash", { command: `echo ${SECRET}` })) +
    result(world, 3, "p1", "t1", "deployed") +
    said(world, 4, call("t2", "Skill", { skill: "SKIPPEDINPUT" })) +
    result(world, 5, "p1", "t2", "SKIPPEDOUTPUT") +
    said(world, 6, { type: "text", text: "It is out." })
  );
}

function copies(world: World): { path: string; text: string }[] {
  const folder = join(world.home, "archive");
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".gz"))
    .map((name) => ({ path: join(folder, name), text: gunzipSync(readFileSync(join(folder, name))).toString() }));
}

async function evidence(world: World): Promise<unknown[][]> {
  const sessions = "SELECT session_id, subtitle, title FROM sessions ORDER BY session_id = 'agent-a1', session_id";
  return [await rows(world, QUESTION), await rows(world, sessions)];
}

describe("the archive", () => {
  it("keeps filtered copies with mode 0600, and reports their size", async () => {
    const world = createWorld();
    write(world, open(world));
    const sync = await run(world, ["sync", "--archive"]);
    expect(sync.stdout).toMatch(/\nArchived 1 transcript; the archive has 1 \(\d+ B\)\.\n$/);
    const [copy] = copies(world);
    expect(copy?.path).toContain(join("archive", "claude-code", SESSION));
    expect(copy?.text).toContain("It is out.");
    expect(copy?.text).not.toMatch(/ghp_|TAGGED|COPYOFALL|SKIPPED/);
    expect(statSync(copy?.path ?? "").mode & 0o777).toBe(0o600);
    expect(statSync(join(world.home, "archive")).mode & 0o777).toBe(0o700);
    expect(await data(world, ["status"])).toMatchObject({
      archive: { files: 1, bytes: statSync(copy?.path ?? "").size },
    });
    expect((await run(world, ["status"])).stdout).toMatch(/archive +1 transcript \(/);
    // Without new lines, no file is written.
    expect(await data(world, ["sync", "--archive"])).toMatchObject({ archived: { written: 0, files: 1 } });
  });

  it("grows with its transcript, also if enabled by the setting, and is copied again after a rewrite", async () => {
    const world = createWorld();
    write(world, open(world).replace(SECRET, "nothing").replace(SECRET, "nothing"));
    await run(world, ["sync", "--archive"]);
    const before = readFileSync(copies(world)[0]?.path ?? "");
    appendFileSync(transcript(world), user(world, 7, "And now the docs"));
    const env = { C_MEM_ARCHIVE: "1" };
    expect(await data(world, ["sync"], { env })).toMatchObject({ archived: { written: 1 } });
    const after = copies(world)[0];
    expect(readFileSync(after?.path ?? "").subarray(0, before.length)).toEqual(before);
    expect(after?.text.match(/And now the docs/g)).toHaveLength(1);
    write(world, user(world, 8, "All new"));
    await run(world, ["sync"], { env });
    expect(copies(world)[0]?.text).toMatch(/^\{.*All new.*\}\n$/);
    expect(await data(world, ["sync"])).toMatchObject({ archived: null });
  });

  it("ends before a fully private prompt", async () => {
    const world = createWorld();
    const secretly =
      user(world, 7, "<private>HUSH</private>") +
      said(world, 8, { type: "text", text: "HUSHANSWER" }) +
      user(world, 9, "Open again") +
      `${JSON.stringify({ type: "ai-title", aiTitle: "HUSHTITLE" })}\n`;
    write(world, open(world) + secretly);
    const task = { agentId: "a1", isSidechain: true };
    write(
      world,
      user(world, 10, "HUSHTASK", { ...task, promptId: "p7" }),
      join(dirname(transcript(world)), SESSION, "subagents", "agent-a1.jsonl"),
    );
    await run(world, ["sync", "--archive"]);
    appendFileSync(transcript(world), user(world, 11, "Later"));
    await run(world, ["sync", "--archive"]);
    expect(copies(world)).toHaveLength(1);
    expect(copies(world)[0]?.text).not.toMatch(/HUSH|Open again|Later/);
    expect(copies(world)[0]?.text).toContain("It is out.");
  });

  it("has no sessions of excluded folders", async () => {
    const world = createWorld();
    const inside = join(world.project, "secret");
    write(world, open(world) + user(world, 7, "INSIDE", { cwd: inside }) + user(world, 8, "Outside again"));
    write(world, user(world, 9, "INSIDE", { cwd: inside }), join(dirname(transcript(world)), "other.jsonl"));
    await run(world, ["sync", "--archive"], { env: { C_MEM_EXCLUDE_PATHS: inside } });
    expect(copies(world)).toHaveLength(1);
    expect(copies(world)[0]?.text).toContain("Outside again");
    expect(copies(world)[0]?.text).not.toContain("INSIDE");
  });

  it("restores missing sessions automatically, others with --force", async () => {
    const world = createWorld();
    write(world, open(world));
    const chat = join(
      world.env["HOME"] ?? "",
      ".gemini",
      "tmp",
      "app",
      "chats",
      "session-2026-01-01T00-00-0f0f0f0f.json",
    );
    const at = "2026-01-01T00:00:00.000Z";
    const asked = { id: "g1", type: "user", timestamp: at, content: "Ask Gemini" };
    write(world, JSON.stringify({ sessionId: "0f0f0f0f-gemini", startTime: at, messages: [asked] }), chat);
    const subagent = join(dirname(transcript(world)), SESSION, "subagents", "agent-a1.jsonl");
    write(world, said(world, 7, { type: "text", text: "Looked." }).replace("{", '{"agentId":"a1",'), subagent);
    write(world, '{"agentType":"Explore"}', subagent.replace(".jsonl", ".meta.json"));
    await run(world, ["sync", "--archive"]);
    const expected = await evidence(world);
    expect(expected).toMatchObject([{ length: 2 }, [{}, {}, { session_id: "agent-a1", subtitle: "Explore" }]]);
    for (const path of [transcript(world), chat, subagent, subagent.replace(".jsonl", ".meta.json")]) rmSync(path);
    // The session is stored already: a missing transcript is no error.
    expect(await data(world, ["sync"])).toMatchObject({ read: 0, restored: 0, failed: [] });
    expect(await data(world, ["sync", "--force"])).toMatchObject({ restored: 3, failed: [] });
    expect(await evidence(world)).toEqual(expected);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(join(world.home, `c-mem.db${suffix}`), { force: true });
    const again = await run(world, ["sync"]);
    expect(again.stdout).toContain("Restored 3 session files from the archive.");
    expect(await evidence(world)).toEqual(expected);
    expect(await data(world, ["sync"])).toMatchObject({ restored: 0 });
  });

  it("restores the rest after a run was killed between a session and its subagent", async () => {
    const world = createWorld();
    const subagent = join(dirname(transcript(world)), SESSION, "subagents", "agent-a1.jsonl");
    write(world, open(world));
    write(world, said(world, 7, { type: "text", text: "Looked." }).replace("{", '{"agentId":"a1",'), subagent);
    await run(world, ["sync", "--archive"]);
    const expected = await evidence(world);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(join(world.home, `c-mem.db${suffix}`), { force: true });
    rmSync(subagent);
    const away = join(world.home, "archive", "away");
    const copy =
      readdirSync(join(world.home, "archive", "claude-code")).find((name) => /^agent.*about/.test(name)) ?? "";
    renameSync(join(world.home, "archive", "claude-code", copy), away);
    await run(world, ["sync"]);
    rmSync(transcript(world));
    renameSync(away, join(world.home, "archive", "claude-code", copy));
    expect(await data(world, ["sync"])).toMatchObject({ restored: 1 });
    expect(await evidence(world)).toEqual(expected);
  });

  it("has the last line once, even if it was copied unfinished", async () => {
    const world = createWorld();
    write(world, (open(world) + user(world, 7, "And now the docs")).trimEnd());
    await run(world, ["sync", "--archive"]);
    expect(copies(world)[0]?.text.match(/And now the docs/g)).toHaveLength(1);
    appendFileSync(transcript(world), `\n${user(world, 8, "And the tests")}`);
    await run(world, ["sync", "--archive"]);
    expect(copies(world)[0]?.text.match(/And now the docs|And the tests/g)).toEqual([
      "And now the docs",
      "And the tests",
    ]);
  });

  it.each([
    ["with nothing of its own yet", ""],
    ["with something of its own", "own"],
  ])("of a fork %s has no text forgotten in the first session, and does not restore it", async (_, own) => {
    const world = createWorld();
    const history = (extra: object) => [
      user(world, 1, "Ask the quokkas how they build it", extra),
      line(world, 2, {
        type: "assistant",
        message: {
          id: "m2",
          role: "assistant",
          content: [{ type: "text", text: "The quokkas have answered all of it" }],
        },
        ...extra,
      }),
    ];
    const FORK = "00000000-2222-4333-8444-555555555555";
    const copied = history({ sessionId: FORK, forkedFrom: { sessionId: SESSION, messageUuid: "u" } });
    const after = own && user(world, 3, "Build it in another way", { sessionId: FORK });
    write(world, history({}).join(""));
    write(world, [...copied, after].join(""), join(dirname(transcript(world)), `${FORK}.jsonl`));
    await run(world, ["sync", "--archive"]);
    expect(copies(world)).toHaveLength(2);
    const { status, stdout } = await run(world, ["forget", "quokkas", "--yes", "--all"]);
    expect([status, stdout]).toEqual([0, expect.stringContaining("2 transcript copies")]);
    await run(world, ["sync", "--archive"]);
    rmSync(transcript(world));
    await run(world, ["sync", "--archive", "--force"]);
    expect(copies(world).filter(({ text }) => text.includes("quokkas"))).toEqual([]);
    expect(await rows(world, "SELECT text FROM prompts")).toEqual(own ? [{ text: "Build it in another way" }] : []);
    expect(await rows(world, "SELECT 1 FROM sync_state WHERE state LIKE '%quokkas%'")).toEqual([]);
    // The rest of the copy stays when another turn is forgotten.
    const left = copies(world).length;
    write(world, user(world, 5, "The walrus is blue"), join(dirname(transcript(world)), "22222222.jsonl"));
    await run(world, ["sync"]);
    await run(world, ["forget", "walrus is blue", "--yes", "--all"]);
    expect(copies(world)).toHaveLength(left);
  });

  it("restores a fork after its parent session", async () => {
    const world = createWorld();
    const FORK = "00000000-2222-4333-8444-555555555555";
    const copied = user(world, 1, "Build it", {
      sessionId: FORK,
      forkedFrom: { sessionId: SESSION, messageUuid: "u" },
    });
    const path = join(dirname(transcript(world)), `${FORK}.jsonl`);
    write(world, user(world, 1, "Build it"));
    write(world, copied + user(world, 3, "Build it in another way", { sessionId: FORK }), path);
    await run(world, ["sync", "--archive"]);
    for (const gone of [transcript(world), path, join(world.home, "c-mem.db")]) rmSync(gone);
    await run(world, ["sync"]);
    const told =
      "SELECT session_id, text FROM prompts p JOIN sessions s ON s.id = p.session_db_id ORDER BY p.created_at";
    expect(await rows(world, told)).toEqual([
      { session_id: SESSION, text: "Build it" },
      { session_id: FORK, text: "Build it in another way" },
    ]);
  });

  it("that a killed run left unfinished does not block forgetting, and is deleted", async () => {
    const world = createWorld();
    write(world, user(world, 1, "The walrus is blue"));
    await run(world, ["sync", "--archive"]);
    const other = join(dirname(transcript(world)), "22222222-2222-4333-8444-555555555555.jsonl");
    write(world, user(world, 2, "Another one", { sessionId: "22222222-2222-4333-8444-555555555555" }), other);
    await run(world, ["sync", "--archive"]);
    const [half = "", grown = ""] = [SESSION, "22222222"].map(
      (name) => copies(world).find(({ path }) => path.includes(name))?.path,
    );
    const member = readFileSync(half);
    rmSync(half.replace(/\.gz$/, ".about.json"));
    writeFileSync(half, member.subarray(0, -10));
    appendFileSync(grown, member.subarray(0, 60));
    const { status, stdout } = await run(world, ["forget", "walrus is blue", "--yes", "--all"]);
    expect([status, stdout]).toEqual([0, expect.stringContaining("1 transcript copy")]);
    expect([existsSync(half), existsSync(grown)]).toEqual([false, true]);
  });

  it("has no copy of a fork with forgotten text, and the receipt lists the fork's transcript", async () => {
    const world = createWorld();
    const fork = "22222222-2222-4333-8444-555555555555";
    const path = join(dirname(transcript(world)), `${fork}.jsonl`);
    const copied = { sessionId: fork, forkedFrom: { sessionId: SESSION, messageUuid: "u1" } };
    write(world, user(world, 1, "The walrus is blue") + user(world, 2, "Go on"));
    const own = user(world, 3, "Another way", { sessionId: fork });
    write(world, user(world, 1, "The walrus is blue", copied) + own, path);
    await run(world, ["sync", "--archive"]);
    expect(copies(world).filter(({ text }) => text.includes("walrus"))).toHaveLength(2);
    const forgotten = await run(world, ["forget", "walrus is blue", "--yes", "--all"]);
    expect(forgotten.stdout).toContain("2 transcript copies");
    expect(forgotten.stdout).toContain(path);
    await run(world, ["sync", "--archive"]);
    expect(copies(world).filter(({ text }) => text.includes("walrus"))).toEqual([]);
  });

  it("is complete after a killed run: unfinished copies are written again", async () => {
    const world = createWorld();
    write(world, open(world));
    await run(world, ["sync", "--archive"]);
    appendFileSync(copies(world)[0]?.path ?? "", Buffer.from("half a piece"));
    appendFileSync(transcript(world), user(world, 7, "And now the docs"));
    await run(world, ["sync", "--archive"]);
    expect(copies(world)[0]?.text).toContain("And now the docs");
  });
});
