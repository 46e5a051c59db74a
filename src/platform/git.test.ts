import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { gitEnv, runGit } from "./git.ts";

it("git gets no variable of another git, and may not use the network or a lock", () => {
  const env = gitEnv({
    PATH: "/bin",
    HOME: "/home/me",
    GIT_DIR: "/x",
    GIT_SSH_COMMAND: "evil",
    git_editor: "evil",
    LANG: "de",
  });
  expect(env).toMatchObject({
    PATH: "/bin",
    HOME: "/home/me",
    GIT_NO_LAZY_FETCH: "1",
    GIT_OPTIONAL_LOCKS: "0",
    LC_ALL: "C",
  });
  expect(
    Object.keys(env).filter((name) => ["GIT_DIR", "GIT_SSH_COMMAND", "git_editor", "LANG"].includes(name)),
  ).toEqual([]);
});

it("without git, without a repository, or with too much output there is no answer", async () => {
  const folder = mkdtempSync(join(tmpdir(), "c-mem-git-"));
  expect(await runGit(folder, ["rev-parse", "HEAD"])).toBeUndefined();
  expect(await runGit(folder, ["--version"], { env: { PATH: folder } })).toBeUndefined();
  expect(await runGit(folder, ["--version"], { maxBytes: 3 })).toBeUndefined();
  expect(await runGit(folder, ["--version"])).toMatch(/^git version/);
});
