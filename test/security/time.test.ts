// Hostile text from a repository, a transcript or a tool must not make functions slow, for example by backtracking.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { patchFiles } from "../../src/agents/tool-use.ts";
import { normaliseRemote, readBranch, readRemote } from "../../src/capture/git.ts";
import { findGitTree } from "../../src/platform/git-tree.ts";
import { fenceSafe, looksLikeInstruction, quoteInstructions } from "../../src/core/privacy/fence.ts";
import { filterText, filterValue } from "../../src/core/privacy/filter.ts";
import { matchesPath } from "../../src/core/glob.ts";
import { parseIgnoreRules } from "../../src/core/privacy/ignore-rules.ts";
import { indexable } from "../../src/core/index-text.ts";
import { isWhollyPrivate, stripPrivate } from "../../src/core/privacy/private-tags.ts";
import { commandKey } from "../../src/core/shell-command.ts";
import { titleOf } from "../../src/core/title.ts";
import { wordsOf } from "../../src/core/words.ts";
import { repositoryOf } from "../../src/memory/relate/prompt-references.ts";
import { ATTACKS, LEADS, UNITS } from "./hostile-texts.ts";

const LENGTH = 100_000;
/** Enough for a slow machine. A pattern that backtracks needs minutes for 100,000 characters. */
const MAX_MS = 3_000;

const FUNCTIONS: [string, (text: string) => unknown][] = [
  ["patchFiles", (text) => patchFiles(text)],
  ["normaliseRemote", normaliseRemote],
  ["repositoryOf", repositoryOf],
  ["fenceSafe", fenceSafe],
  ["looksLikeInstruction", looksLikeInstruction],
  ["quoteInstructions", quoteInstructions],
  ["filterText", (text) => filterText(text)],
  ["stripPrivate", stripPrivate],
  ["isWhollyPrivate", isWhollyPrivate],
  ["indexable", indexable],
  ["titleOf", titleOf],
  ["wordsOf", wordsOf],
  ["commandKey", commandKey],
  ["matchesPath", (text) => matchesPath("**/a*b*c/**/x", text)],
  ["parseIgnoreRules", parseIgnoreRules],
];

/** Contents of .git/config. */
const CONFIGS: [string, string][] = [
  ["spaces in a url", `[remote "origin"]\n url = a${" ".repeat(LENGTH)}b`],
  ["a section that never closes", `[${"[".repeat(LENGTH)}`],
  ["quotation marks", `[remote "${'"'.repeat(LENGTH)}`],
  ["many remotes", `[remote "a"]\nurl = x\n`.repeat(LENGTH / 22)],
  ["slashes", `[remote "origin"]\nurl = ${"/".repeat(LENGTH)}x`],
  ["steps upwards", `[remote "origin"]\nurl = ${"../".repeat(LENGTH / 3)}x`],
];

describe("time is bounded for hostile text:", () => {
  test("ATTACKS has the numbers of functions and files", () => {
    expect([FUNCTIONS.length, CONFIGS.length]).toEqual([ATTACKS.functions, ATTACKS.configs]);
  });

  it.each(FUNCTIONS)("%s", (name, run) => {
    for (const unit of UNITS) {
      for (const lead of LEADS) {
        const text = `${lead}${unit.repeat(LENGTH / unit.length)}x`;
        const start = process.cpuUsage();
        run(text);
        const { user, system } = process.cpuUsage(start);
        expect({ name, unit, lead, isQuick: (user + system) / 1000 < MAX_MS }).toMatchObject({ isQuick: true });
      }
    }
  });

  test.each(CONFIGS)(".git/config with %s", (_, config) => {
    const folder = mkdtempSync(join(tmpdir(), "c-mem-git-"));
    mkdirSync(join(folder, ".git"));
    writeFileSync(join(folder, ".git", "config"), config);
    writeFileSync(join(folder, ".git", "HEAD"), `ref: refs/heads/${"a/".repeat(LENGTH / 2)}`);
    const start = process.cpuUsage();
    const tree = findGitTree(folder);
    if (tree === undefined) throw new Error("no tree");
    normaliseRemote(readRemote(tree) ?? "");
    readBranch(tree);
    const { user, system } = process.cpuUsage(start);
    expect((user + system) / 1000).toBeLessThan(MAX_MS);
  });
});

describe("memory is bounded for hostile values:", () => {
  it("deeply nested or very wide values are cut", () => {
    const deep = JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as unknown;
    expect(JSON.stringify(filterValue(deep)).length).toBeLessThan(1_000);
    const wide = filterValue(Array.from({ length: 1_000_000 }, () => ({ a: "b" }))) as unknown[];
    expect(wide).toHaveLength(10_001);
  });
});
