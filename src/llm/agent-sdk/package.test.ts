import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { resolvePaths } from "../../config/paths.ts";
import { AGENT_SDK_VERSION, agentSdkFolder, findAgentSdk, packageFiles, PLATFORM } from "./package.ts";

it("the Agent SDK is found only in the pinned version, with its program", () => {
  const home = mkdtempSync(join(tmpdir(), "c-mem-sdk-"));
  onTestFinished(() => rmSync(home, { recursive: true }));
  const paths = resolvePaths({ C_MEM_HOME: home });
  const folder = join(agentSdkFolder(paths), "node_modules", "@anthropic-ai", "claude-agent-sdk");
  const write = (version: string): void => writeFileSync(join(folder, "package.json"), JSON.stringify({ version }));
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "sdk.mjs"), "");
  write(AGENT_SDK_VERSION);
  expect(findAgentSdk(paths)).toBeUndefined();
  mkdirSync(`${folder}-${PLATFORM}`);
  expect(findAgentSdk(paths)).toBe(join(folder, "sdk.mjs"));
  write("0.0.1");
  expect(findAgentSdk(paths)).toBeUndefined();
});

it("the lockfile has a checksum for the package and for the program of each platform", () => {
  const { packages } = packageFiles()["package-lock.json"] as { packages: Record<string, Record<string, unknown>> };
  const { "": root, ...rest } = packages;
  expect(root).toMatchObject({ dependencies: { "@anthropic-ai/claude-agent-sdk": AGENT_SDK_VERSION } });
  expect(Object.keys(rest)).toHaveLength(9);
  for (const entry of Object.values(rest)) {
    expect(entry).toMatchObject({
      version: AGENT_SDK_VERSION,
      integrity: expect.stringMatching(/^sha512-[\w+/]{86}==$/),
    });
  }
  expect(rest["node_modules/@anthropic-ai/claude-agent-sdk-linux-x64-musl"]).toMatchObject({
    os: ["linux"],
    cpu: ["x64"],
    libc: ["musl"],
    optional: true,
  });
});
