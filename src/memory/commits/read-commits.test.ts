import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { CommitFacts } from "./commit-facts.ts";
import { listCommits, readCommits } from "./read-commits.ts";

const IDENTITY = ["-c", "user.name=Anna", "-c", "user.email=anna@example.org"];

function createRepository(folder = mkdtempSync(join(tmpdir(), "c-mem-commits-"))) {
  mkdirSync(folder, { recursive: true });
  const git = (...args: string[]): string =>
    execFileSync("git", ["-C", folder, ...IDENTITY, ...args], {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, GIT_CONFIG_GLOBAL: "/dev/null" },
    }).trim();
  git("init", "-q", "-b", "main");
  const commit = (subject: string, files: Record<string, string>): void => {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    git("add", "-A");
    git("commit", "-q", "-m", subject);
  };
  return { folder, git, commit };
}

async function readAll(folder: string): Promise<CommitFacts[]> {
  const reader = { top: folder, env: process.env };
  const listed = await listCommits(reader, Date.now() - 24 * 60 * 60_000);
  const commits: CommitFacts[] = [];
  for await (const batch of readCommits(
    reader,
    listed.map(({ sha }) => sha),
  ))
    commits.push(...batch);
  return commits;
}

const filesOf = (commits: readonly CommitFacts[]) => commits.map(({ subject, files }) => ({ subject, files }));

it.each([
  ["diff.interHunkContext", "9"],
  ["diff.orderFile", "/nonexistent"],
  ["diff.dstPrefix", "to/"],
  ["i18n.logOutputEncoding", "UTF-16"],
  ["log.showRoot", "false"],
])("the repository's %s=%s changes nothing", async (key, value) => {
  const { folder, git, commit } = createRepository();
  commit("Add", { "a.txt": "one\ntwo\nthree\n", "b.txt": "alpha\n" });
  commit("Change", { "a.txt": "1\ntwo\n3\n", "b.txt": "beta\n" });
  git("config", key, value);
  expect(filesOf(await readAll(folder))).toEqual([
    {
      subject: "Change",
      files: [
        { path: "a.txt", added: ["1", "3"] },
        { path: "b.txt", added: ["beta"] },
      ],
    },
    {
      subject: "Add",
      files: [
        { path: "a.txt", added: ["one", "two", "three"] },
        { path: "b.txt", added: ["alpha"] },
      ],
    },
  ]);
});

it("names with quotes, tabs and letters of other alphabets are read", async () => {
  const { folder, commit } = createRepository();
  const names = ['日"本.txt', "tab\tä.txt", "two words.txt", "line\nend.txt"];
  commit("Add", Object.fromEntries(names.map((name) => [name, "text\n"])));
  const [{ files } = { files: [] }] = await readAll(folder);
  expect(files.map(({ path }) => path).toSorted()).toEqual(names.toSorted());
});

it("a submodule's config starts no program", async () => {
  const { folder, git, commit } = createRepository();
  const trace = `${folder}.ran`;
  const script = `${folder}.sh`;
  writeFileSync(script, `#!/bin/sh\ntouch ${trace}\n`, { mode: 0o755 });
  const inner = createRepository(join(folder, "inner"));
  inner.commit("One", { "f.txt": "one\n" });
  commit("Add the submodule", {});
  inner.commit("Two", { "f.txt": "two\n" });
  commit("Update the submodule", {});
  git("config", "diff.submodule", "diff");
  for (const key of ["core.fsmonitor", "diff.external"]) inner.git("config", key, script);
  expect(await readAll(folder)).toHaveLength(2);
  expect(existsSync(trace)).toBe(false);
});
