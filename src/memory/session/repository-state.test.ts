import { describe, expect, it } from "vitest";
import { repositoryState } from "./repository-state.ts";

const PR_URL = "https://github.com/acme/app/pull/41\n";
let clock = 0;
const run = (command: string, extra: { output?: string; isError?: boolean } = {}) => ({
  command,
  output: "",
  isError: false,
  at: (clock += 60_000),
  ...extra,
});
const edit = (path: string) => ({ path, at: (clock += 60_000) });
const stateOf = (
  steps: readonly (ReturnType<typeof run> | ReturnType<typeof edit>)[],
  said = "",
  commits: { sha: string; subject: string; created_at: number }[] = [],
) =>
  repositoryState({
    commands: steps.filter((step) => "command" in step),
    changes: steps.filter((step) => "path" in step),
    commits,
    testRuns: [],
    said,
  });

describe("the state of the repository after a turn", () => {
  it("has the changes after the last commit, without scratch files", () => {
    const steps = [
      edit("a.ts"),
      run('git add -A && git commit -m "Add a"'),
      edit("b.ts"),
      edit("/tmp/x"),
      edit("tmp/y.md"),
    ];
    expect(stateOf(steps)).toMatchObject({ uncommitted: ["b.ts"], hasCommits: true });
  });

  it("counts a commit that a hook made fail, if the agent says that it was made", () => {
    const steps = [edit("a.ts"), run("git commit -m x", { isError: true })];
    expect(stateOf(steps, "The commit went through: the hook rewrote its message.").uncommitted).toEqual([]);
    expect(stateOf(steps, "Committed as `1a2b3c4`.").uncommitted).toEqual([]);
    expect(stateOf(steps, "Signing failed. The files are staged, nothing committed.").uncommitted).toEqual(["a.ts"]);
  });

  it("has no commit if there was nothing to commit", () => {
    const steps = [edit("a.ts"), run("git commit -m x || true", { output: "nothing to commit, working tree clean" })];
    expect(stateOf(steps).hasCommits).toBe(false);
  });

  it("has the commits since the last push, also if one command commits and pushes", () => {
    const message = "git commit -m \"$(cat <<'EOF'\nfix: keep the login; git push later\n\nBody\nEOF\n)\"";
    expect(stateOf([run(message)]).unpushed).toEqual(["fix: keep the login; git push later"]);
    expect(stateOf([run(`${message} && git push`)]).unpushed).toEqual([]);
    expect(stateOf([run(message), run("git push", { isError: true })]).unpushed).toHaveLength(1);
  });

  it("names a commit by its own message, not by another here-document of the command", () => {
    const command = "cat > a.txt <<'EOF'\nText\nEOF\ngit add a.txt && git commit -qm 'Add a'";
    expect(stateOf([run(command)]).unpushed).toEqual(["Add a"]);
  });

  it("is read quickly from a command with many here-documents that do not end", () => {
    const command = `cat > a.cpp <<'EOF'\n${"std::cout << name\n".repeat(10_000)}\n`;
    const start = process.cpuUsage().user;
    expect(stateOf([run(`${command}EOF\ngit commit -m "Add a"`)]).hasCommits).toBe(true);
    expect(stateOf([run(`git commit -m "Add a" && ${command.replace("'EOF'", "")}`)]).unpushed).toEqual(["Add a"]);
    expect((process.cpuUsage().user - start) / 1_000).toBeLessThan(1_000);
  });

  it("has a commit that git reported once", () => {
    const commit = run('rtk git commit -m "Add a"');
    expect(stateOf([commit], "", [{ sha: "1a2b3c4", subject: "Add a", created_at: commit.at }]).unpushed).toEqual([
      "Add a",
    ]);
  });

  it("has the pull requests that were opened but not merged", () => {
    const open = run('gh pr create --draft --title "feat: add a" --body x', { output: PR_URL });
    expect(stateOf([open]).openPrs).toEqual([{ number: "41", title: "feat: add a", isDraft: true }]);
    expect(stateOf([open, run("gh pr merge 41 --squash")]).openPrs).toEqual([]);
    expect(stateOf([open, run("gh pr merge --squash")]).openPrs).toEqual([]);
    expect(stateOf([open, run("gh pr merge 7")]).openPrs).toHaveLength(1);
  });

  it("has the pushed branch without a pull request", () => {
    const push = run("git push -u origin fix/login");
    expect(stateOf([push]).branchWithoutPr).toBe("fix/login");
    expect(stateOf([push, run("gh pr create --fill", { output: PR_URL })]).branchWithoutPr).toBeUndefined();
    expect(stateOf([run("git push -u origin main")]).branchWithoutPr).toBeUndefined();
  });
});
