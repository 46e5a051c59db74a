// Terminal control sequences in recorded text must not reach the terminal.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { createWorld, hook, run, type World } from "../e2e/harness.ts";
import { hasPty, startPty } from "../e2e/pty.ts";

const SESSION = "11111111-2222-4333-8444-555555555555";
const HOSTILE = [
  "pelican",
  "\u001b]52;c;cm0gLXJmIH4K\u0007",
  "\u001b]8;;http://evil.example\u001b\\link\u001b]8;;\u001b\\",
  "\u001b[2J\u001b[8mhidden",
  "\u009b31m\u009d0;title\u009c",
  "\u001bPq\u001b\\\u001b_Gx\u001b\\\u001bc",
  "over\rwritten back\b\bspace\u007f",
  "user\u202enigol\u2066x\u2069\u200e\u200f\u061c",
].join(" ");

/** Allowed: C-Mem's colours, line endings of the terminal, and the sequences of the interactive search. */
// oxlint-disable-next-line no-control-regex
const ALLOWED = /\u001b\[(?:[\d;]*m|H|2K|J|K|1;\d+H|\?(?:1049|2004|25)[hl])|\r(?=\u001b\[K)|\r?\r\n/g;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufdd0-\ufdef]/;
/** Hides text. `ALLOWED` would match it, but C-Mem does not use it. */
const CONCEALED = "\u001b[8m";

describe("terminal control sequences", () => {
  let world: World;

  beforeAll(async () => {
    world = createWorld();
    const base = { session_id: SESSION, prompt_id: "p1" };
    await hook(world, "new", { ...base, hook_event_name: "UserPromptSubmit", prompt: `${HOSTILE} prompt` });
    await hook(world, "save", {
      ...base,
      hook_event_name: "PostToolUse",
      tool_name: "Bash",
      tool_use_id: "t1",
      tool_input: { command: `echo ${HOSTILE}` },
      tool_response: { stdout: HOSTILE, stderr: "" },
    });
    await hook(world, "summary", { ...base, hook_event_name: "Stop", last_assistant_message: `${HOSTILE} answer` });
    await run(world, ["remember", `${HOSTILE} note`]);
    await run(world, ["worker", "run", "--once"]);
    writeFileSync(
      join(world.home, "logs", "hook.log"),
      `${JSON.stringify({ at: new Date(), hook: "new", message: HOSTILE })}\n`,
    );
  });

  describe.skipIf(!hasPty())("on a terminal (skipped if util-linux' script is missing)", () => {
    it.each([
      `export ${SESSION} --tools`,
      `export ${SESSION} --format html`,
      "export --all",
      `show ${SESSION} --tools`,
      "search pelican",
      "search pelican --json",
      "list",
      "timeline",
      "observations",
      "observations pelican",
      "how echo",
      "context",
      "logs",
      "status",
      "projects",
      `forget ${SESSION} --dry-run`,
      "config set '\u001b]52;c;x\u0007' 1",
      "'\u001b]52;c;x\u0007'",
      "show '\u009b31m\u202e'",
    ])("are removed by %j", async (args) => {
      const pty = startPty(world, { args });
      await pty.exit;
      expect(pty.sent().length).toBeGreaterThan(10);
      expect(pty.sent()).not.toContain(CONCEALED);
      expect(pty.sent().replace(ALLOWED, "")).not.toMatch(CONTROL);
    });

    it("are removed by the interactive search, which keeps its colours", async () => {
      const pty = startPty(world);
      await pty.waitFor(/pelican/);
      pty.type("pelican");
      await pty.waitFor(/> pelican[^]*1 shown, best first/);
      pty.type("\u001b");
      await pty.exit;
      expect(pty.sent()).toContain("\u001b[33mpelican\u001b[39m");
      expect(pty.sent().replace(ALLOWED, "")).not.toMatch(CONTROL);
    });

    it("are removed, but not C-Mem's own colours", async () => {
      const pty = startPty(world, { args: "search pelican" });
      await pty.exit;
      expect(pty.sent()).toContain("\u001b[33mpelican\u001b[39m");
    });
  });

  it("are removed from text piped to a pager", async () => {
    for (const args of [["search", "pelican"], ["show", SESSION, "--tools"], ["list"], ["logs"]]) {
      const { stdout } = await run(world, args);
      expect(stdout).toMatch(/pelican/i);
      expect(stdout).not.toMatch(CONTROL);
    }
  });

  it("stay unchanged in a file, in a pipe to another program, and in JSON", async () => {
    const file = join(world.project, "out.md");
    await run(world, ["export", SESSION, "-o", file]);
    const piped = await run(world, ["export", SESSION]);
    expect(piped.stdout).toBe(readFileSync(file, "utf8"));
    expect(piped.stdout).toContain("\u001b]52;c;cm0gLXJmIH4K\u0007");
    const { stdout } = await run(world, ["show", SESSION, "--json"]);
    expect(stdout).not.toMatch(CONTROL);
    expect(stdout).toContain("\\u009b");
    expect(JSON.stringify(JSON.parse(stdout))).toContain("\u009b31m");
  });
});
