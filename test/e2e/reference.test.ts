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
    const settings = SETTING_KEYS.map((key) => {
      const { default: value, about, inProject, inUserFileOnly } = SETTINGS[key];
      const places = ["config.json", ...(inProject ? [".c-mem.json"] : []), ...(inUserFileOnly ? [] : [envName(key)])];
      const lines = wrapped(`${about} Default: ${JSON.stringify(value)}. In: ${places.join(", ")}.`);
      return [`  ${key}`, ...lines.map((line) => `      ${line}`)].join("\n");
    });
    sections.push(
      "## Settings\n\nIn `~/.c-mem/config.json`; some also in a project's `.c-mem.json` or in the environment, which wins.\n" +
        "What costs money or sends text elsewhere counts only in the user's own file.\n\n" +
        `\`\`\`\n${settings.join("\n\n")}\n\`\`\``,
    );
    await expect(`${sections.join("\n\n")}\n`).toMatchFileSnapshot(join(ROOT, "docs", "reference.md"));
  });
});

const WIDTH = 94;

function wrapped(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line === undefined || line.length + word.length >= WIDTH) lines.push(word);
    else lines[lines.length - 1] = `${line} ${word}`;
  }
  return lines;
}
