import { describe, expect, it } from "vitest";
import { promptReferences, repositoryOf } from "./prompt-references.ts";

const ID = "0b7e2a54-1111-4222-8333-444455556666";
const targets = (prompt: string): string[] =>
  promptReferences(prompt, "me/app").targets.map(({ type, id }) => `${type} ${id}`);

describe("a prompt refers to", () => {
  it.each([
    ["files", "Look at ./src/a.ts and docs/x.md, not a/b", ["file src/a.ts", "file docs/x.md"]],
    ["commits, by their first digits", "revert abc1234def5678 please", ["commit abc1234"]],
    [
      "issues of its own repository",
      "Fix #12, see issue 7 and PR 9",
      ["issue me/app#12", "issue me/app#7", "issue me/app#9"],
    ],
    ["issues of others", "like you/lib#3", ["issue you/lib#3"]],
    ["issues by their URL", "see https://github.com/You/Lib/pull/3/files.", ["issue you/lib#3"]],
    ["URLs", "read https://example.org/a/b.html, then go on", ["url https://example.org/a/b.html"]],
    ["nothing", "Version 2.0 of #fff and C# and a#1b", []],
  ])("%s", (_, prompt, expected) => {
    expect(targets(prompt)).toEqual(expected);
  });

  it("sessions by transcript or id", () => {
    const of = (prompt: string): Partial<ReturnType<typeof promptReferences>> => {
      const { transcripts, sessionIds } = promptReferences(prompt, undefined);
      return { transcripts, sessionIds };
    };
    expect(of(`read the full transcript at: /home/me/.claude/projects/x/${ID}.jsonl`)).toMatchObject({
      transcripts: [ID],
    });
    expect(of(`go on with ${ID}, please`)).toEqual({ transcripts: [], sessionIds: [ID] });
    expect(of(`x${ID}`)).toEqual({ transcripts: [], sessionIds: [] });
  });

  it("at most 50 of a kind", () => {
    const many = Array.from({ length: 500 }, (_, index) => `src/f${index}.ts`).join(" ");
    expect(targets(many)).toHaveLength(50);
  });
});

it("reads a repository's name from any form of its URL", () => {
  const all = ["git@github.com:Me/App.git", "https://github.com/Me/App", "github.com/me/app", null];
  expect(all.map(repositoryOf)).toEqual(["me/app", "me/app", "me/app", undefined]);
});
