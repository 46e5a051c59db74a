// Tests what C-Mem adds to the files of each agent and removes again.
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { AppError } from "../core/error.ts";
import type { ManagedFile, Program } from "./setup.ts";
import { SETUPS } from "./setups.ts";

const PROGRAM: Program = {
  node: "/opt/my node/bin/node",
  hook: "/home/ada/.c-mem/plugin/c-mem/dist/hook.cjs",
  mcp: "/home/ada/.c-mem/plugin/c-mem/dist/mcp.cjs",
  cache: "/home/ada/.c-mem/cache",
};
const NEWER: Program = { ...PROGRAM, node: "/opt/node26/bin/node" };
const ENV = { HOME: mkdtempSync(join(tmpdir(), "c-mem-setup-")) };
const PROJECTS = [{ top: "/home/ada/app", exclude: "/home/ada/app/.git/info/exclude" }];

const filesOf = (id: string, program = PROGRAM): ManagedFile[] =>
  SETUPS.find((setup) => setup.id === id)?.files(ENV, program, PROJECTS) ?? [];
const fileOf = (id: string, name: string, program = PROGRAM): ManagedFile => {
  const found = filesOf(id, program).find(({ path }) => basename(path) === name);
  if (found === undefined) throw new Error(`no ${name} in ${id}`);
  return found;
};
const ALL = SETUPS.flatMap(({ id }) => filesOf(id).map(({ path }) => [id, basename(path)] as const));

describe("every file", () => {
  it.each(ALL)("of %s (%s) gets one entry, which is updated, and is deleted if it has nothing else", (id, name) => {
    const once = fileOf(id, name).add(undefined);
    expect(fileOf(id, name).add(once)).toBe(once);
    const newer = fileOf(id, name, NEWER).add(once);
    expect(fileOf(id, name, NEWER).add(newer)).toBe(newer);
    expect(newer).not.toContain(newer === once ? "another node" : PROGRAM.node);
    expect(fileOf(id, name).remove(newer)).toBeUndefined();
  });

  it.each(ALL.filter(([, name]) => name.endsWith(".json") && name !== "c-mem.json"))(
    "of %s (%s) that is not a JSON object is refused by name and not changed",
    (id, name) => {
      for (const hostile of ["{", "[]", "true", '{"hooks": [], "mcpServers": [], "mcp": []}']) {
        const add = () => fileOf(id, name).add(hostile);
        expect(add).toThrow(AppError);
        expect(add).toThrow(new RegExp(`${name}.*nothing was changed`));
      }
    },
  );

  it.each(ALL.filter(([, name]) => name.endsWith(".json") && name !== "c-mem.json"))(
    "of %s (%s) keeps other comments, hooks and servers",
    (id, name) => {
      const theirs = `{
  // mine
  "version": 1,
  "hooks": { "Stop": [{ "hooks": [{ "type": "command", "command": "say done" }] }] },
  "mcpServers": { "other": { "command": "x" } },
  "mcp": { "other": { "type": "local", "command": ["x"] } }
}
`;
      const file = fileOf(id, name);
      const filled = file.add(theirs);
      for (const kept of ["// mine", "say done", '"other"', '"version": 1']) expect(filled).toContain(kept);
      const left = file.remove(filled) ?? "";
      expect(parsed(left)).toEqual(parsed(theirs));
      expect(left).toContain("// mine");
    },
  );

  it.each([
    ["gemini-cli", "settings.json", "mcpServers"],
    ["copilot-cli", "mcp-config.json", "mcpServers"],
    ["opencode", "opencode.json", "mcp"],
    ["cursor", "mcp.json", "mcpServers"],
  ])("of %s with another server of our name is refused and not changed", (id, name, under) => {
    const own = JSON.stringify({ [under]: { "c-mem": { command: "mine", args: ["x"] } } });
    expect(() => fileOf(id, name).add(own)).toThrow("not C-Mem's");
    expect(fileOf(id, name).remove(own)).toBe(own);
  });

  it.each([
    ["copilot-cli", "c-mem.json"],
    ["opencode", "c-mem.js"],
    ["cursor", "c-mem-context.mdc"],
  ])("of %s (%s) is not written over another program's file", (id, name) => {
    expect(() => fileOf(id, name).add("mine\n")).toThrow("not C-Mem's");
    expect(fileOf(id, name).remove("mine\n")).toBe("mine\n");
  });
});

describe("Codex's config.toml", () => {
  const file = fileOf("codex", "config.toml");
  const theirs = 'model = "gpt-5.5" # mine\n\n[mcp_servers.other]\ncommand = "x"\n';

  it("gets one table between markers, and has its old text after the removal", () => {
    const text = file.add(theirs);
    expect(text.startsWith(theirs)).toBe(true);
    expect(text).toContain('[mcp_servers.c-mem]\ncommand = "/opt/my node/bin/node"');
    expect(file.remove(text)).toBe(theirs);
    expect(file.remove(file.add(theirs.trimEnd()))?.trimEnd()).toBe(theirs.trimEnd());
    const windows = theirs.replaceAll("\n", "\r\n");
    expect(file.remove(file.add(windows))).toBe(windows);
  });

  it("keeps lines of another program before the end marker", () => {
    const grown = file.add(theirs).replace("# <<<", '[projects."/a"]\ntrust_level = "trusted"\n# <<<');
    expect(file.remove(grown)).toBe(`${theirs}[projects."/a"]\ntrust_level = "trusted"\n`);
    expect(fileOf("codex", "config.toml", NEWER).add(grown)).toContain('[projects."/a"]');
    expect(fileOf("codex", "config.toml", NEWER).add(grown)).not.toContain("my node");
  });

  it("loses keys that were added to our table", () => {
    const tuned = file.add(theirs).replace("# <<<", "startup_timeout_sec = 20\n# <<<");
    expect(file.remove(tuned)).toBe(theirs);
  });

  it.each([
    '[mcp_servers.c-mem]\ncommand = "mine"\n',
    '[mcp_servers."c-mem"]\ncommand = "mine"\n',
    '[mcp_servers.c-mem.env]\nA = "1"\n',
    '[mcp_servers]\nc-mem = { command = "mine" }\n',
    'mcp_servers.c-mem.command = "mine"\n',
    'mcp_servers = { c-mem = { command = "mine" } }\n',
  ])("with a server of that name is refused: %j", (own) => {
    expect(() => file.add(own)).toThrow("nothing was changed");
    expect(file.remove(own)).toBe(own);
  });

  it("is refused if its servers are in an inline table", () => {
    const closed = 'mcp_servers = { other = { command = "x" } }\n';
    expect(() => file.add(closed)).toThrow("is an inline table; nothing was changed");
    expect(file.add(`# ${closed}`)).toContain("[mcp_servers.c-mem]");
  });
});

describe("a hook command", () => {
  it("is quoted for the shell", () => {
    expect(fileOf("codex", "hooks.json").add(undefined)).toContain(
      `'/opt/my node/bin/node' ${PROGRAM.hook} new --agent codex`,
    );
  });
});

describe("Cursor's rule", () => {
  it("keeps the context in it when C-Mem is installed again", () => {
    const rule = fileOf("cursor", "c-mem-context.mdc");
    const filled = `${rule.add(undefined)}\n<c-mem-context>\nSomething.\n</c-mem-context>\n`;
    expect(rule.add(filled)).toBe(filled);
    expect(rule.remove(filled)).toBeUndefined();
  });
});

function parsed(text: string): unknown {
  return JSON.parse(text.replace("// mine", ""));
}
