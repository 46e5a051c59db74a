import { describe, expect, it } from "vitest";
import { chooseTitle, type TitleSources } from "./session-title.ts";

const titleOf = (sources: Partial<TitleSources>) =>
  chooseTitle({ agentTitle: null, requests: [], prs: [], commits: [], observations: [], ...sources });
const task = (title: string) => ({ kind: "task", title }) as const;
const reply = (title: string) => ({ kind: "reply", title }) as const;
const work = (title: string) => ({ type: "bugfix", title }) as const;

describe("a session's title", () => {
  it("is the agent's own title", () => {
    const sources = { agentTitle: "Login survives a restart", commits: ["fix: keep the login after a restart"] };
    expect(titleOf(sources)?.title).toBe("Login survives a restart");
  });

  it.each(["New session", "Untitled", "binary-toasting-snowflake", "New chat 3"])(
    "is not a placeholder: %s",
    (agentTitle) => {
      expect(titleOf({ agentTitle, commits: ["Keep the login after a restart"] })?.title).toBe(
        "Keep the login after a restart",
      );
    },
  );

  it("is the commit that the rest of the session is about, without its prefix, and not a bookkeeping commit", () => {
    const sources = {
      requests: [task("The release pull request does not start CI, is there an easy way to fix that"), reply("Commit")],
      commits: ["chore: bump version", "ci(release): start CI on release pull requests", "docs: update changelog"],
      observations: [work("The workflow uses a personal token instead of GITHUB_TOKEN")],
    };
    expect(titleOf(sources)).toEqual({
      title: "Start CI on release pull requests",
      subtitle: "The workflow uses a personal token instead of GITHUB_TOKEN",
    });
  });

  it("is the plan's title rather than a step of the plan", () => {
    const sources = {
      requests: [{ kind: "plan", title: "Group the summary table by file" } as const, reply("commit")],
      commits: ["Rename a prop"],
    };
    expect(titleOf(sources)?.title).toBe("Group the summary table by file");
  });

  it.each([
    "It now shows the summary for every file",
    "This fixes the summary for every file",
    "Also updated the summary for every file",
    "Changed summary.ts and 3 more",
  ])("does not point at another text, and is no file list: %s", (title) => {
    const sources = { requests: [task("Show the summary for every file")], observations: [work(title)] };
    expect(titleOf(sources)?.title).toBe("Show the summary for every file");
  });

  it.each([
    ["The `parse` step **fails** early.", "The parse step fails early"],
    [
      "Retry uploads up to three times (the old client gave up after the first failure and lost the whole file)",
      "Retry uploads up to three times",
    ],
    [
      "Uploads are retried three times because the old client gave up after the first failure and lost the file",
      "Uploads are retried three times",
    ],
  ])("has no markup and ends with a whole clause: %s", (title, expected) => {
    expect(titleOf({ observations: [work(title)] })?.title).toBe(expected);
  });

  it("is undefined if nothing says what the session was about", () => {
    expect(titleOf({ requests: [reply("yes")] })).toBeUndefined();
  });
});
