// c-mem without arguments on a real terminal.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeAll, describe, expect, it } from "vitest";
import { resolvePaths } from "../../src/config/paths.ts";
import { openEndpoint } from "../../src/embed/endpoint.ts";
import { embedAll } from "../../src/memory/embed.ts";
import { updateSearchIndex } from "../../src/store/fts/search-index.ts";
import { serveModel } from "../embed/embed-server.ts";
import * as seed from "../seed.ts";
import { createWorld, hook, run, type World } from "./harness.ts";
import { hasPty, startPty } from "./pty.ts";

const RESTORED = "\u001b[?2004l\u001b[?25h\u001b[?1049l";

describe.skipIf(!hasPty())("c-mem on a terminal (skipped where util-linux' script is missing)", () => {
  let world: World;
  let elsewhere: string;

  beforeAll(async () => {
    world = createWorld();
    elsewhere = join(world.project, "..", "elsewhere");
    mkdirSync(elsewhere);
    const say = (session_id: string, prompt: string, cwd: string) =>
      hook(world, "new", { session_id, hook_event_name: "UserPromptSubmit", prompt, cwd });
    await say("s-cart", "why is the shopping cart empty after a reload", world.project);
    await say("s-cart", "now add a test for the voucher", world.project);
    await say("s-login", "the login page flickers \u001b[2J in dark mode", world.project);
    await say("s-vouch", "can you vouch for the colours", world.project);
    await say("s-else", "translate the voucher page to 日本語", elsewhere);
  });

  it("lists the newest, searches while typing, and Enter shows the session", async () => {
    const pty = startPty(world);
    await pty.waitFor(/the login page flickers .*in dark mode/);
    expect(pty.screen()).toMatch(/this project: project · all agents · all time +3 shown, newest first/);
    expect(pty.sent()).not.toContain("\u001b[2J");
    pty.type("vouch");
    await pty.waitFor(/> vouch [^]*2 shown, best first[^]*▸ can you vouch/);
    pty.type("er");
    await pty.waitFor(/> voucher[^]*1 shown, best first/);
    expect(pty.screen()).toMatch(
      /▸ why is the shopping cart[^]*prompt · turn 2 of 2[^]*now add a test for the voucher/,
    );
    pty.type("\t");
    await pty.waitFor(/all projects[^]*2 shown[^]*日本語/);
    pty.type("\t");
    await pty.waitFor(/this project[^]*1 shown/);
    pty.type("\r");
    expect(await pty.exit).toBe(0);
    const after = pty.sent().split(RESTORED)[1] ?? "";
    expect(after).toContain("now add a test for the voucher");
    expect(after).not.toContain("\u001b[?1049h");
  });

  it.each([
    ["esc", "\u001b", 0],
    ["ctrl-c", "\u0003", 130],
  ])("%s restores the terminal", async (_, keys, exitCode) => {
    const pty = startPty(world, { after: "stty -a" });
    await pty.waitFor(/login page/);
    pty.type(keys);
    expect(await pty.exit).toBe(exitCode);
    expect(pty.sent().split(RESTORED)).toHaveLength(2);
    expect(pty.sent()).toMatch(/[^-]icanon[^]* echo /);
  });

  it("treats pasted lines as one query, with or without bracketed paste", async () => {
    const pty = startPty(world, { cwd: elsewhere });
    await pty.waitFor(/translate the/);
    const drawn = () => pty.sent().split("\u001b[H").length;
    const before = drawn();
    pty.type(`\u001b[200~${"voucher\n".repeat(200)}\u001b[201~`);
    await pty.waitFor(/1 shown, best first/);
    expect(drawn() - before).toBeLessThanOrEqual(6);
    pty.type("\u0015");
    await pty.waitFor(/newest first/);
    pty.type("voucher\r".repeat(3000).slice(0, -1));
    await pty.waitFor(/1 shown, best first/);
    pty.type("\u0015nonsensical");
    await pty.waitFor(/Tab searches all projects/);
    pty.type("\u001b");
    expect(await pty.exit).toBe(0);
  });

  it("reports a store that cannot be opened, and restores the terminal after a later failure", async () => {
    const broken = createWorld();
    mkdirSync(join(broken.home, "c-mem.db"), { recursive: true });
    const never = startPty(broken);
    expect(await never.exit).toBe(1);
    expect(never.sent()).toContain("error:");

    const other = createWorld();
    await hook(other, "new", { session_id: "s", hook_event_name: "UserPromptSubmit", prompt: "what was here" });
    const pty = startPty(other);
    await pty.waitFor(/what was here/);
    const db = new DatabaseSync(join(other.home, "c-mem.db"));
    db.exec("ALTER TABLE tool_uses RENAME TO gone");
    db.close();
    pty.type("what");
    expect(await pty.exit).toBe(1);
    expect(pty.sent().split(RESTORED)[1]).toMatch(/error:/);
  });

  it("says how to start if nothing is recorded", async () => {
    const pty = startPty(createWorld(), { size: "rows 10 cols 60" });
    await pty.waitFor(/No sessions yet. `c-mem sync`/);
    expect(pty.screen().split("\n")).toHaveLength(10);
    pty.type("\u0004");
    expect(await pty.exit).toBe(0);
  });

  it("adds semantic search after a pause in typing, and uses keyword search without a model", async () => {
    const away = createWorld();
    const paths = resolvePaths(away.env);
    const server = await serveModel(paths);
    const { db, add } = seed.seedStore(paths.database);
    add("a", seed.prompt("the signin page forgets credentials"));
    add("a", seed.ended("Done."));
    updateSearchIndex(db);
    for await (const _ of embedAll(db, await openEndpoint({ url: server.url, model: "served" })));
    db.close();
    const pty = startPty(away);
    await pty.waitFor(/signin page/);
    pty.type("password");
    await pty.waitFor(/> password[^]*1 shown, best first, keywords and meaning[^]*▸ the signin page/);
    await server.close();
    pty.type("\u0015page");
    await pty.waitFor(/> page[^]*1 shown, best first, keywords only \(see c-mem/);
    pty.type("\r");
    expect(await pty.exit).toBe(0);
    expect(pty.sent().split(RESTORED)[1]).toContain("the signin page forgets credentials");
  });

  it.each(["cols 80", "cols 120"])(
    "prints one line per entry on a terminal of %s, even if ids are long",
    async (size) => {
      const many = createWorld();
      const { db, add } = seed.seedStore(resolvePaths(many.env).database);
      const title = seed.prompt("find out why the signin page forgets the credentials of returning users");
      add("019dd4b9-496d-7581-a780-16f20aecff69", title, { agent: "codex" });
      add("ses_0fedcba98765AbCdEfGhIjKlMn", title, { agent: "opencode" });
      add("14255944-2a05-4a60-a551-14b836a1ad00", title, { agent: "claude-code" });
      db.close();
      const pty = startPty(many, { args: "list --all", size: `rows 24 ${size}` });
      expect(await pty.exit).toBe(0);
      const lines = pty.screen().trimEnd().split("\n");
      expect(lines).toHaveLength(4);
      expect(lines.filter((line) => line.length > Number(size.slice(5)))).toEqual([]);
      expect(pty.screen()).toMatch(/019dd4b9 {6}\d{4}-[^\n]* codex [^\n]* find out why/i);
      const search = startPty(many, { args: "search signin --all -n 1", size: `rows 24 ${size}` });
      expect(await search.exit).toBe(0);
      const [first = ""] = search.screen().split("\n");
      expect(first).toMatch(/^find out why the signin.*…? {2}app, [a-z-]+, \d+ \w+ ago$/i);
      expect(first.length).toBeLessThanOrEqual(Number(size.slice(5)));
      const stats = startPty(many, { args: "stats --all", size: `rows 40 ${size}` });
      expect(await stats.exit).toBe(0);
      expect(stats.screen()).toContain("▇");
      expect(
        stats
          .screen()
          .split("\n")
          .filter((line) => line.length > Number(size.slice(5))),
      ).toEqual([]);
    },
  );

  it("shows help without a terminal", async () => {
    expect((await run(world, [])).stdout).toContain("Usage: c-mem");
  });
});
