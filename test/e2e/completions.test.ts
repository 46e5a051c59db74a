// Shell completion in real shells: what the tab key offers.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { BIN, createWorld, hook, run, type World } from "./harness.ts";

const CASES: [line: string[], offered: string[]][] = [
  [
    ["completions", ""],
    ["bash", "zsh", "fish"],
  ],
  [["stat"], ["stats", "status", "statusline"]],
  [
    ["worker", "re"],
    ["restart", "retry"],
  ],
  [
    ["search", "--agent", "co"],
    ["codex", "copilot-cli"],
  ],
  [["search", "--agent=cod"], ["--agent=codex"]],
  [["search", "--be"], ["--before"]],
  [["list", "--project", "pro"], ["project"]],
  [["list", "-p", ""], ["project"]],
  [["context", ""], ["project"]],
  [
    ["show", "s-"],
    ["s-two", "s-one"],
  ],
  [["show", "--tools", "s-o"], ["s-one"]],
  [["export", "--format", "h"], ["html"]],
  [["context", "--format", "m"], ["markdown"]],
  [
    ["observations", "--type", "d"],
    ["decision", "discovery"],
  ],
  [["edit", "o"], ["o1"]],
  [["sav"], []],
  [["nonsense", ""], []],
  [["search", "--", "--"], []],
];

describe("completions", () => {
  let world: World;
  let env: Record<string, string>;

  beforeAll(async () => {
    world = createWorld();
    for (const session_id of ["s-one", "s-two"]) {
      await hook(world, "new", { session_id, hook_event_name: "UserPromptSubmit", prompt: `about: ${session_id}` });
    }
    await run(world, ["remember", "Tabs, not spaces"]);
    const folder = join(world.home, "..", "bin");
    mkdirSync(folder);
    writeFileSync(join(folder, "c-mem"), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`);
    chmodSync(join(folder, "c-mem"), 0o755);
    env = { ...world.env, PATH: `${folder}${delimiter}${world.env["PATH"] ?? ""}` };
  });

  it.each(CASES)("%j offers %j", async (line, offered) => {
    const { stdout, stderr, status } = await run(world, ["__complete", ...line]);
    const values = stdout.split("\n").flatMap((row) => (row === "" ? [] : [row.split("\t")[0]]));
    expect([values, stderr, status]).toEqual([offered, "", 0]);
  });

  it("offers all commands except internal ones, with descriptions", async () => {
    const { stdout } = await run(world, ["__complete", ""]);
    expect(stdout).toContain("search\tfind past sessions");
    expect(stdout).not.toMatch(/^(?:save|__complete)\t/m);
  });

  it("prints nothing if the store is missing or broken", async () => {
    const other = createWorld();
    expect(await run(other, ["__complete", "show", ""])).toMatchObject({ status: 0, stdout: "", stderr: "" });
    mkdirSync(other.home);
    writeFileSync(join(other.home, "c-mem.db"), "not a database");
    expect(await run(other, ["__complete", "show", ""])).toMatchObject({ status: 0, stdout: "", stderr: "" });
  });

  it("rejects other shells", async () => {
    expect(await run(world, ["completions", "tcsh"])).toMatchObject({ status: 2, stdout: "" });
  });

  const shell = (name: string, script: string): string =>
    spawnSync(name, name === "bash" ? ["--norc", "-c", script] : ["-c", script], { env, encoding: "utf8" }).stdout;

  it.skipIf(!has("bash"))("works in bash, which splits words at =", () => {
    const replies = (words: string[], type = 9) =>
      shell(
        "bash",
        `source <(c-mem completions bash); COMP_WORDS=(c-mem ${words.map((word) => `'${word}'`).join(" ")})
         COMP_CWORD=${words.length}; COMP_TYPE=${type}; _c_mem; printf '%s\\n' "\${COMPREPLY[@]}"`,
      )
        .trim()
        .split("\n");
    expect(replies(["search", "--agent", "=", "co"])).toEqual(["codex", "copilot-cli"]);
    expect(replies(["completions", ""])).toEqual(["bash", "zsh", "fish"]);
    expect(replies(["search", "--agent", "="])).toContain("opencode");
    expect(replies(["show", "s-o"])).toEqual(["s-one"]);
    expect(replies(["show", "s-"], 63)[0]).toMatch(/^s-two {2,}just now: about: s-two$/);
  });

  it.skipIf(!has("fish"))("works in fish", () => {
    const offers = (line: string) => shell("fish", `c-mem completions fish | source; complete -C '${line}'`);
    expect(offers("c-mem search --agent=co")).toBe("--agent=codex\tCodex CLI\n--agent=copilot-cli\tCopilot CLI\n");
    expect(offers("c-mem show s-")).toMatch(/^s-two\tjust now: about: s-two\ns-one\t/);
    expect(offers("c-mem install --claude /etc/host")).toContain("/etc/hosts");
  });

  it.skipIf(!has("zsh"))("can be loaded by zsh", () => {
    const script = "autoload -U compinit; compinit -u -D; source <(c-mem completions zsh); print $_comps[c-mem]";
    expect(shell("zsh", script)).toBe("_c_mem\n");
  });
});

function has(shell: string): boolean {
  return spawnSync(shell, ["-c", "exit 0"]).status === 0;
}
