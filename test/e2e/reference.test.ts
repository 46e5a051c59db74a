// docs/reference.md is generated: `npx vitest run test/e2e/reference.test.ts -u` writes it.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { envName, SETTING_KEYS, SETTINGS } from "../../src/config/schema.ts";
import { COMMAND_NAMES } from "../../src/cli/commands.ts";
import { createWorld, ROOT, run } from "./harness.ts";

describe("docs/reference.md", () => {
  it("has every command's help and every setting", async () => {
    const world = createWorld();
    const env = { COLUMNS: "100", NO_COLOR: "1" };
    const help = await run(world, ["--help"], { env });
    const sections = [`# Reference\n\n## c-mem\n\n\`\`\`\n${help.stdout.trim()}\n\`\`\``];
    for (const name of COMMAND_NAMES) {
      const { stdout } = await run(world, [name, "--help"], { env });
      sections.push(`## c-mem ${name}\n\n\`\`\`\n${stdout.trim()}\n\`\`\``);
    }
    const rows = SETTING_KEYS.map((key) => {
      const { default: value, about, inProject, inUserFileOnly } = SETTINGS[key];
      const environment = inUserFileOnly ? "no" : `\`${envName(key)}\``;
      return `| \`${key}\` | \`${JSON.stringify(value)}\` | ${about} | ${environment} | ${inProject ? "yes" : "no"} |`;
    });
    sections.push(
      "## Settings\n\nIn `~/.c-mem/config.json`; where the last column says so also in a project's `.c-mem.json` or in the environment, which wins. What costs money or sends words elsewhere is the user's own file's alone.\n\n" +
        ["| key | default | what it does | environment | project |", "|---|---|---|---|---|", ...rows].join("\n"),
    );
    await expect(`${sections.join("\n\n")}\n`).toMatchFileSnapshot(join(ROOT, "docs", "reference.md"));
  });
});
