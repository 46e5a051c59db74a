// Claude Code's own validation of the plugin.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "../e2e/harness.ts";
import { claude } from "./client.ts";
import { testLab } from "./lab.ts";

describe("the client's own check", () => {
  it.each([
    ["the plugin", join(ROOT, "plugin")],
    ["the marketplace", ROOT],
  ])("accepts %s", async (_, folder) => {
    const lab = await testLab();
    expect(await claude(lab, ["plugin", "validate", "--strict", folder])).toMatchObject({
      status: 0,
      stderr: "",
      stdout: expect.stringContaining("Validation passed"),
    });
  });
});
