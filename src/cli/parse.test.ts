import { Command } from "commander";
import { describe, expect, it } from "vitest";
import { parseCommandLine } from "./parse.ts";
import { COMMANDS } from "./table.ts";

/** What the library makes of the same words; undefined where it objects or shows help. */
function byLibrary(argv: readonly string[]): unknown {
  let parsed: unknown;
  const program = new Command("c-mem").exitOverride().configureOutput({ writeErr: () => {}, writeOut: () => {} });
  for (const definition of COMMANDS) {
    const command = program.command(definition.name).option("--json", "print JSON");
    for (const [flags, about] of definition.options ?? []) command.option(flags, about);
    command.action(() => {
      parsed = { name: definition.name, args: command.args, flags: command.opts() };
    });
  }
  try {
    program.parse([...argv], { from: "user" });
  } catch {
    return undefined;
  }
  return parsed;
}

function byUs(argv: readonly string[]): unknown {
  const parsed = parseCommandLine(argv);
  return parsed && { name: parsed.definition.name, args: parsed.args, flags: parsed.flags };
}

describe("a command line that is as it should be", () => {
  it.each([
    ["sync"],
    ["sync", "--quiet", "--json"],
    ["sync", "-q", "--agent", "codex", "--dry-run"],
    ["sync", "--agent=codex"],
    ["sync", "-p", "app"],
    ["search", "two", "words"],
    ["search", "--kind", "tool", "words", "--all"],
    ["search", "--", "--not", "-an", "option"],
    ["search", "words", "--", "--json"],
    ["search", "-"],
    ["context"],
    ["context", "app", "--source", "resume"],
    ["install", "--no-sync", "-y"],
    ["install"],
    ["export", "last", "--format", "md", "-o", "file.md"],
    ["stats", "--days", "3"],
  ])("%s %s %s %s %s is read as the library reads it", (...argv) => {
    const ours = byUs(argv);
    expect(ours).toBeDefined();
    expect(ours).toEqual(byLibrary(argv));
  });
});

describe("anything else is left to the library", () => {
  it.each([
    [],
    ["--help"],
    ["--version"],
    ["sync", "--help"],
    ["sync", "-h"],
    ["synk"],
    ["sync", "--nonsense"],
    ["sync", "extra"],
    ["sync", "--agent"],
    ["sync", "--quiet=yes"],
    ["search"],
    ["sync", "-qv"],
    ["__complete", "sy"],
  ])("%s %s", (...argv) => {
    expect(parseCommandLine(argv)).toBeUndefined();
  });
});
