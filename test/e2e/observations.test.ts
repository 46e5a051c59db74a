// Adding, finding, editing and forgetting observations on the command line, with real processes.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { allBytes, createWorld, data, hook, rows, run, type World } from "./harness.ts";
import { openFallbackSpool } from "../../src/capture/live/spool.ts";
import { resolvePaths } from "../../src/config/paths.ts";
import { openEndpoint } from "../../src/embed/endpoint.ts";
import { embedAll } from "../../src/memory/embed.ts";
import { openStore } from "../../src/store/db/open.ts";
import { startEmbedServer } from "../embed/embed-server.ts";
import { wordEmbedder } from "../embed/word-embedder.ts";
import { hasPty, startPty } from "./pty.ts";

const SESSION = "11111111-2222-4333-8444-555555555555";

async function results(world: World, ...args: string[]): Promise<Record<string, unknown>[]> {
  return ((await data(world, args)) as { results?: Record<string, unknown>[] }).results ?? [];
}

describe("observation commands", () => {
  it("add, find, show, pin, edit and supersede", async () => {
    const world = createWorld();
    const first = await run(world, [
      "remember",
      "Packages",
      "come from npm",
      "--type",
      "decision",
      "--file",
      "package.json",
    ]);
    expect(first).toMatchObject({ status: 0, stdout: "Saved for project as o1: Packages come from npm\n" });
    const input = "Packages always come from pnpm, says the team.\nNever from npm.";
    expect(await data(world, ["remember", "-", "--concept", "gotcha,pattern"], { input })).toMatchObject({
      id: "o2",
      type: "discovery",
      concepts: ["gotcha", "pattern"],
      narrative: input,
      producer: "user",
      is_new: true,
    });
    expect(await data(world, ["remember", "Be kind", "--all", "--reason", "It is free"])).toMatchObject({
      id: "o3",
      project: null,
      facts: ["Why: It is free"],
      concepts: ["why-it-exists"],
    });
    expect(await data(world, ["supersede", "o1", "o2"])).toMatchObject({
      superseded_by: { id: "o2" },
      superseded_by_hand: true,
    });
    expect(await data(world, ["pin", "o3"])).toMatchObject({ results: [{ id: "o3", pinned: true }] });
    expect(await data(world, ["edit", "o2", "--title", "Use pnpm", "--type", "decision"])).toMatchObject({
      title: "Use pnpm",
      type: "decision",
      narrative: input,
      is_changed: true,
    });
    expect((await results(world, "observations")).map((one) => one["id"])).toEqual(["o3", "o2"]);
    expect((await results(world, "observations", "packages")).map((one) => one["id"])).toEqual(["o2", "o1"]);
    expect((await results(world, "observations", "--pinned")).map((one) => one["id"])).toEqual(["o3"]);
    const list = await run(world, ["observations", "--superseded"]);
    expect(list.stdout).toMatch(/o1 .* decision +Packages come from npm\n +replaced by o2: Use pnpm\n/);
    const show = await run(world, ["show", "o1"]);
    expect(show.stdout).toMatch(/observation +o1 \(decision\)\n[^]*source +you\n[^]*replaced by +o2: Use pnpm/);
    expect(await data(world, ["show", "o2"])).toMatchObject({ id: "o2", replaces: [{ id: "o1" }], versions: [] });
    expect(await data(world, ["supersede", "o1", "--undo"])).toMatchObject({ superseded_by: null });
    expect(await data(world, ["unpin", "o3"])).toMatchObject({ results: [{ pinned: false }] });
  });

  it("also search semantically if vectors exist", async () => {
    const world = createWorld();
    await run(world, ["remember", "Palette: dark"]);
    await run(world, ["remember", "Packages come from pnpm"]);
    const paths = resolvePaths(world.env);
    const server = await startEmbedServer(wordEmbedder("served"));
    const settings = { embeddings: "openai", embeddingsUrl: server.url, embeddingsModel: "served" };
    writeFileSync(paths.config, JSON.stringify(settings));
    const db = openStore(paths.database);
    for await (const _ of embedAll(db, await openEndpoint({ url: server.url, model: "served" })));
    db.close();
    expect((await results(world, "observations", "colour")).map((one) => one["id"])).toEqual(["o1"]);
    expect((await run(world, ["observations", "colour"])).stderr).toContain("similar meaning");
    expect((await results(world, "observations", "packages")).map((one) => one["id"])).toEqual(["o2"]);
    await server.close();
    const alone = await run(world, ["observations", "palette"]);
    expect(alone).toMatchObject({ status: 0, stdout: expect.stringContaining("Palette: dark") });
    expect(alone.stderr).toContain("keyword search only");
  });

  it("mark an observation as wrong, and take the mark back", async () => {
    const world = createWorld();
    await run(world, ["remember", "Packages come from npm", "--type", "decision"]);
    expect(await data(world, ["wrong", "#o1"])).toMatchObject({ id: "o1", marked_wrong: true, is_changed: true });
    expect((await run(world, ["wrong", "o1"])).stdout).toContain("Already marked as wrong, not injected again: o1");
    expect((await run(world, ["show", "o1"])).stdout).toContain("o1 (decision, marked as wrong, not injected)");
    expect(await data(world, ["wrong", "o1", "--undo"])).toMatchObject({ marked_wrong: false, is_changed: true });
    expect(await data(world, ["show", "o1"])).toMatchObject({ marked_wrong: false });
  });

  it("report mistakes with a message and exit code", async () => {
    const world = createWorld();
    await run(world, ["remember", "One thing"]);
    const cases: [string[], number][] = [
      [["remember", " "], 2],
      [["remember", "x", "--type", "thought"], 2],
      [["observations", "--concept", "beauty"], 2],
      [["observations", "nowhere"], 4],
      [["pin", "1"], 2],
      [["pin", "o9"], 4],
      [["edit", "o1"], 2],
      [["supersede", "o1"], 2],
      [["supersede", "o1", "o1"], 2],
      [["show", "o9"], 4],
      [["wrong"], 2],
      [["wrong", "o9"], 4],
      [["wrong", "p9"], 4],
      [["wrong", "last"], 2],
      [["forget"], 2],
      [["forget", "o9"], 4],
      [["forget", "no such words"], 4],
      [["forget", "o1"], 2],
    ];
    for (const [args, status] of cases) {
      const result = await run(world, args);
      expect({ args, status: result.status, stdout: result.stdout }).toEqual({ args, status, stdout: "" });
      expect(result.stderr).toMatch(/error: .+\n/);
    }
  });

  it.runIf(hasPty())("edit in the editor", async () => {
    const world = createWorld();
    await run(world, ["remember", "Tabs, not spaces"]);
    const editor = join(world.home, "..", "editor.sh");
    writeFileSync(editor, '#!/bin/sh\nsed -i "s/^title:.*/title: In my words/; s/^type:.*/type: decision/" "$1"\n', {
      mode: 0o755,
    });
    const { exit } = startPty(world, { args: "edit o1", env: { EDITOR: editor } });
    expect(await exit).toBe(0);
    expect(await data(world, ["show", "o1"])).toMatchObject({
      title: "In my words",
      type: "decision",
      narrative: "Tabs, not spaces",
    });
  });
});

/** Records one session by hooks and by its transcript. */
async function recordSession(world: World): Promise<string> {
  const base = { session_id: SESSION, transcript_path: transcriptPath(world) };
  await hook(world, "new", {
    ...base,
    hook_event_name: "UserPromptSubmit",
    prompt_id: "q1",
    prompt: "Call ZEBRAFISHDEPOT. From now on always use the ZEBRAFISHDEPOT server, never another one.",
  });
  await hook(world, "save", {
    ...base,
    hook_event_name: "PostToolUse",
    prompt_id: "q1",
    tool_use_id: "t1",
    tool_name: "Bash",
    tool_input: { command: "curl zebrafishdepot.example" },
    tool_response: { stdout: "WALRUSINVENTORY of twelve", stderr: "" },
  });
  await hook(world, "summary", {
    ...base,
    hook_event_name: "Stop",
    prompt_id: "q1",
    last_assistant_message: "The WALRUSINVENTORY is here.",
  });
  await hook(world, "new", {
    ...base,
    hook_event_name: "UserPromptSubmit",
    prompt_id: "q2",
    prompt: "Write the harmless readme",
  });
  return writeTranscript(world);
}

function transcriptPath(world: World): string {
  return join(world.claudeDir, "projects", "-app", `${SESSION}.jsonl`);
}

function writeTranscript(world: World): string {
  const path = transcriptPath(world);
  const line = (index: number, value: object): string =>
    JSON.stringify({
      uuid: `u${index}`,
      sessionId: SESSION,
      cwd: world.project,
      timestamp: new Date(Date.now() - 60_000 + index * 1_000).toISOString(),
      version: "2.1.0",
      ...value,
    });
  const lines = [
    line(1, {
      type: "user",
      promptId: "q1",
      message: {
        role: "user",
        content: "Call ZEBRAFISHDEPOT. From now on always use the ZEBRAFISHDEPOT server, never another one.",
      },
    }),
    line(2, {
      type: "assistant",
      message: {
        id: "m1",
        role: "assistant",
        content: [{ type: "tool_use", id: "t1", name: "Bash", input: { command: "curl zebrafishdepot.example" } }],
      },
    }),
    line(3, {
      type: "user",
      promptId: "q1",
      message: { content: [{ type: "tool_result", tool_use_id: "t1", content: "WALRUSINVENTORY of twelve" }] },
    }),
    line(4, {
      type: "assistant",
      message: { id: "m2", role: "assistant", content: [{ type: "text", text: "The WALRUSINVENTORY is here." }] },
    }),
    line(5, { type: "user", promptId: "q2", message: { role: "user", content: "Write the harmless readme" } }),
  ];
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `${lines.join("\n")}\n`);
  return path;
}

const SECRETS = /ZEBRAFISHDEPOT|WALRUSINVENTORY/i;

/** Everything that could restore forgotten data: late hooks, a repeated sync, a rebuild. */
async function recordAgain(world: World): Promise<void> {
  const base = { session_id: SESSION, transcript_path: transcriptPath(world), prompt_id: "q1" };
  await hook(world, "save", {
    ...base,
    hook_event_name: "PostToolUse",
    tool_use_id: "late",
    tool_name: "Bash",
    tool_input: { command: "echo WALRUSINVENTORY" },
    tool_response: { stdout: "WALRUSINVENTORY" },
  });
  await hook(world, "summary", {
    ...base,
    hook_event_name: "Stop",
    last_assistant_message: "The WALRUSINVENTORY is here.",
  });
  writeTranscript(world);
  for (const args of [["sync"], ["sync", "--force", "--archive"], ["rebuild", "--all"]]) await run(world, args);
}

describe("forgetting", () => {
  it("a turn removes all its bytes, despite late hooks, syncs and rebuilds, and keeps the rest", async () => {
    const world = createWorld();
    const path = await recordSession(world);
    await run(world, ["sync", "--archive"]);
    await run(world, ["observations"]);
    await run(world, ["search", "walrusinventory"]);
    expect(allBytes(world.home)).toMatch(SECRETS);
    const evidence = () =>
      rows(world, "SELECT (SELECT count(*) FROM prompts) AS p, (SELECT count(*) FROM tool_uses) AS t");
    const before = await evidence();
    expect(await data(world, ["forget", "p1", "--dry-run"])).toMatchObject({
      applied: false,
      would_remove: { prompts: ["p1"], tool_uses: ["t1"], sessions: [] },
    });
    expect(await evidence()).toEqual(before);
    const receipt = await data(world, ["forget", "p1", "--yes"]);
    expect(receipt).toMatchObject({
      applied: true,
      removed: { prompts: 1, tool_uses: 1, sessions: 0, transcript_copies: 1 },
      proof: { proven: true, search_hits: 0, found_in: [], log_emptied: true },
      still_exists: { same_words_in: [], transcripts: [path] },
    });
    expect(JSON.stringify(receipt)).not.toMatch(SECRETS);
    expect(allBytes(world.home)).not.toMatch(SECRETS);
    await recordAgain(world);
    expect(allBytes(world.home)).not.toMatch(SECRETS);
    expect((await run(world, ["search", "walrusinventory"])).status).toBe(4);
    expect(await rows(world, "SELECT prompt_number, text FROM prompts")).toEqual([
      { prompt_number: 1, text: "Write the harmless readme" },
    ]);
    expect(await rows(world, "SELECT title, prompt_count FROM sessions")).toEqual([
      { title: "Write the harmless readme", prompt_count: 1 },
    ]);
    expect(
      readdirSync(join(world.home, "archive"), { recursive: true, encoding: "utf8" }).filter((name) =>
        /gz|json/.test(name),
      ),
    ).toEqual([]);
  });

  it.each(["forget", "doctor --fix", "audit --fix"])(
    "that was killed is completed by c-mem %s, also in backups and copies",
    async (command) => {
      const world = createWorld();
      await recordSession(world);
      await run(world, ["sync", "--archive"]);
      const path = String((await data(world, ["backup", "create"]))["path"]);
      // The state after the first transaction: only the rows are deleted.
      const before = ["archive", "backups"].map((name) => join(world.home, name));
      for (const folder of before) cpSync(folder, `${folder}-then`, { recursive: true });
      await run(world, ["forget", SESSION, "-y"]);
      for (const folder of before) {
        rmSync(folder, { recursive: true, force: true });
        renameSync(`${folder}-then`, folder);
      }
      const db = new DatabaseSync(join(world.home, "c-mem.db"));
      db.prepare("INSERT OR REPLACE INTO index_state (name, last_id) VALUES ('unclean', 1)").run();
      db.close();
      expect(readFileSync(path, "latin1")).toMatch(SECRETS);
      await run(world, command.split(" "));
      expect(allBytes(world.home)).not.toMatch(SECRETS);
      expect(readdirSync(join(world.home, "archive"), { recursive: true }).join()).not.toContain("gz");
      expect(existsSync(path)).toBe(true);
    },
  );

  it("a whole session is permanent", async () => {
    const world = createWorld();
    await recordSession(world);
    await run(world, ["sync"]);
    const shown = join(world.home, "shown");
    mkdirSync(shown, { recursive: true });
    for (const id of [SESSION, "another"]) writeFileSync(join(shown, `${id}.log`), "o1\n");
    const { stdout, status } = await run(world, ["forget", SESSION.slice(0, 8), "-y"]);
    expect(status).toBe(0);
    expect(readdirSync(shown)).toEqual(["another.log"]);
    expect(stdout).toMatch(/^Forgotten\.\n +removed +1 session, 2 prompts, /);
    expect(stdout).toMatch(/still in +.*\.jsonl \(the agent's own file; not imported again\)/);
    expect(await rows(world, "SELECT * FROM jobs")).toEqual([]);
    await recordAgain(world);
    expect(allBytes(world.home)).not.toMatch(SECRETS);
    expect(await rows(world, "SELECT * FROM sessions")).toEqual([]);
  });

  it("by text deletes all matching items, and lists other places with the text", async () => {
    const world = createWorld();
    await recordSession(world);
    await run(world, ["remember", "The WalrusInventory is on the shelf"]);
    const elsewhere = join(world.home, "..", "other");
    mkdirSync(elsewhere);
    await run(world, ["remember", "WALRUSINVENTORY again, of twelve"], { cwd: elsewhere });
    const first = await data(world, ["forget", "walrusinventory", "-y"]);
    expect(first).toMatchObject({ removed: { observations: 1, tool_uses: 1, prompts: 0 }, proof: { proven: true } });
    expect(first).toMatchObject({ still_exists: { same_words_in: ["o2"] } });
    expect(await rows(world, "SELECT response FROM prompts WHERE response IS NOT NULL")).toEqual([]);
    expect(await data(world, ["forget", "walrusinventory", "--all", "-y"])).toMatchObject({
      removed: { observations: 1 },
    });
    expect(allBytes(world.home)).not.toMatch(/WALRUSINVENTORY/i);
    expect(allBytes(world.home)).toContain("ZEBRAFISHDEPOT");
  });

  it("includes drops in the fallback spool of an unwritable data directory", async () => {
    const world = createWorld();
    await recordSession(world);
    const refuge = openFallbackSpool(join(world.home, "spool")) ?? "";
    mkdirSync(join(refuge, "bad"));
    writeFileSync(join(refuge, "bad", "1.json"), "half a drop about the WalrusInventory");
    const { removed, proof } = await data(world, ["forget", "WalrusInventory", "-y"]);
    expect({ removed, proof }).toMatchObject({ removed: { drops: 1 }, proof: { proven: true } });
    expect(readdirSync(join(refuge, "bad"))).toEqual([]);
    rmSync(refuge, { recursive: true });
  });

  it("an observation can also delete its evidence", async () => {
    const world = createWorld();
    await recordSession(world);
    await run(world, ["sync"]);
    const [row] = await results(world, "observations", "zebrafishdepot");
    const id = String(row?.["id"]);
    const alone = await data(world, ["forget", id, "--dry-run"]);
    expect(alone).toMatchObject({ would_remove: { observations: [id], prompts: [] } });
    expect(await data(world, ["forget", id, "--evidence", "-y"])).toMatchObject({ proof: { proven: true } });
    expect(allBytes(world.home)).not.toMatch(SECRETS);
  });

  it("reports that another process keeps old pages, and finishes later", async () => {
    const world = createWorld();
    await recordSession(world);
    await run(world, ["sync"]);
    const reader = new DatabaseSync(join(world.home, "c-mem.db"), { readOnly: true });
    reader.exec("BEGIN; SELECT count(*) FROM prompts");
    const held = await run(world, ["forget", "p1", "-y"]);
    expect(held).toMatchObject({ status: 1 });
    expect(held.stdout).toMatch(/another program reads the database|found in/);
    reader.close();
    expect((await run(world, ["forget"])).status).toBe(0);
    expect(allBytes(world.home)).not.toMatch(SECRETS);
    expect(existsSync(join(world.home, "c-mem.db"))).toBe(true);
  });
});
