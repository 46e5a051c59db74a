// Installs into the real client and uninstalls, with both methods: nothing of the user's changes.
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { data, rows, run } from "../e2e/harness.ts";
import { memoryIn, session } from "./client.ts";
import { type Lab, testLab } from "./lab.ts";
import { COMMENTED_SETTINGS, OWN_HOOK_FILE, PLAIN_SETTINGS } from "./settings.ts";

const METHODS = [
  { method: "plugin", installed: "as a plugin", args: [] },
  { method: "settings", installed: "settings.json", args: ["--method", "settings"] },
];

describe.each(METHODS)("c-mem install with the $method", ({ args, installed }) => {
  it("only shows what it would do with --dry-run", async () => {
    const lab = await testLab();
    writeFileSync(lab.settings, PLAIN_SETTINGS);
    const before = [snapshot(lab.claudeDir), snapshot(lab.env["HOME"] ?? "")];
    const { status, stderr } = await run(lab, ["install", "--dry-run", ...args]);
    expect([status, stderr]).toEqual([0, expect.stringContaining("This would:")]);
    expect([snapshot(lab.claudeDir), snapshot(lab.env["HOME"] ?? "")]).toEqual(before);
  });

  it("records sessions, and the user's own settings and hooks stay", async () => {
    const lab = await testLab();
    writeFileSync(lab.settings, PLAIN_SETTINGS);
    await expectDone(lab, ["install", "--yes", ...args]);
    expect(await data(lab, ["status"])).toMatchObject({ healthy: true, installed: expect.stringContaining(installed) });
    expect(JSON.parse(readFileSync(lab.settings, "utf8"))).toMatchObject({
      model: "opus",
      permissions: { allow: ["Bash(ls:*)"] },
    });
    await session(lab, "Good morning [[script:hello]]");
    expect(existsSync(join(lab.project, OWN_HOOK_FILE))).toBe(true);
    expect(await rows(lab, "SELECT text, response FROM prompts")).toEqual([
      { text: "Good morning [[script:hello]]", response: "Hello from the model." },
    ]);
  });

  it("changes nothing when it is installed already", async () => {
    const lab = await testLab();
    writeFileSync(lab.settings, PLAIN_SETTINGS);
    await expectDone(lab, ["install", "--yes", ...args]);
    const before = [snapshot(lab.claudeDir), snapshot(lab.home)];
    const { status, stderr } = await run(lab, ["install", "--yes", ...args]);
    expect([status, stderr]).toEqual([0, expect.stringContaining("already installed")]);
    expect([snapshot(lab.claudeDir), snapshot(lab.home)]).toEqual(before);
  });

  it("is undone byte for byte, and the data stays until it is purged", async () => {
    const lab = await testLab();
    writeFileSync(lab.settings, PLAIN_SETTINGS);
    await expectDone(lab, ["install", "--yes", ...args]);
    await session(lab, "Good morning [[script:hello]]");
    await expectDone(lab, ["uninstall", "--yes"]);
    expect(readFileSync(lab.settings, "utf8")).toBe(PLAIN_SETTINGS);
    rmSync(join(lab.project, OWN_HOOK_FILE));
    const { requests } = await session(lab, "Good evening [[script:hello]]");
    expect(existsSync(join(lab.project, OWN_HOOK_FILE))).toBe(true);
    expect(memoryIn(requests[0])).toBe("");
    expect(await rows(lab, "SELECT text FROM prompts")).toEqual([{ text: "Good morning [[script:hello]]" }]);
    await expectDone(lab, ["uninstall", "--purge", "--yes"]);
    expect(existsSync(lab.home)).toBe(false);
    expect(readFileSync(lab.settings, "utf8")).toBe(PLAIN_SETTINGS);
  });
});

// The client ignores settings with comments, so this test runs no session.
it("c-mem install keeps comments in settings.json, and uninstall restores the file byte for byte", async () => {
  const lab = await testLab();
  writeFileSync(lab.settings, COMMENTED_SETTINGS);
  await expectDone(lab, ["install", "--yes", "--method", "settings"]);
  const text = readFileSync(lab.settings, "utf8");
  for (const line of COMMENTED_SETTINGS.split("\n").filter((part) => /\/[/*]/.test(part))) expect(text).toContain(line);
  expect(text).toContain("hook.cjs");
  await expectDone(lab, ["uninstall", "--yes"]);
  expect(readFileSync(lab.settings, "utf8")).toBe(COMMENTED_SETTINGS);
});

async function expectDone(lab: Lab, args: string[]): Promise<void> {
  const { status, stderr } = await run(lab, args);
  expect([status, stderr]).toEqual([0, expect.stringContaining("Done.")]);
}

/** Every file below a folder, with its content. */
function snapshot(folder: string): Record<string, string> {
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).sort();
  const files = names.filter((name) => statSync(join(folder, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(folder, name), "latin1")]));
}
