// Errors of C-Mem never stop a session or show a hook error.
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT, rows, run } from "../e2e/harness.ts";
import { memoryIn, type Session, session } from "./client.ts";
import { testLab } from "./lab.ts";
import { oldNode, withNodeFirst } from "./old-node.ts";
import { LAST_ANSWER } from "./scripts.ts";

const WORK = "Why does add subtract? [[script:work]]";

const WHOLE_SESSION = {
  answer: LAST_ANSWER,
  events: [
    "PostToolUse",
    "PostToolUseFailure",
    "PreToolUse",
    "SessionStart",
    "Stop",
    "SubagentStart",
    "SubagentStop",
    "UserPromptSubmit",
  ],
};

describe("every hook succeeds and prints no error", () => {
  it("in a normal session", async () => {
    const lab = await testLab();
    await run(lab, ["install", "--yes"]);
    expect(whatHappened(await session(lab, WORK))).toEqual(WHOLE_SESSION);
    expect(existsSync(join(lab.home, "logs", "hook.log"))).toBe(false);
  });

  it("when the data directory cannot be created", async () => {
    const lab = await testLab();
    await run(lab, ["install", "--yes"]);
    writeFileSync(join(lab.root, "file"), "");
    expect(whatHappened(await session(lab, WORK, { env: { C_MEM_HOME: join(lab.root, "file", "inside") } }))).toEqual(
      WHOLE_SESSION,
    );
  });

  it("on a Node too old for the database, which records and runs the newer Node for context", async (test) => {
    const node = oldNode();
    if (node === undefined) return test.skip("no Node older than 22.16 on the PATH");
    const lab = await testLab();
    const options = {
      args: ["--plugin-dir", join(ROOT, "plugin")],
      env: { PATH: withNodeFirst(lab.env["PATH"], node) },
    };
    expect(whatHappened(await session(lab, WORK, options))).toEqual(WHOLE_SESSION);
    expect(readdirSync(join(lab.home, "spool")).length).toBeGreaterThan(10);
    expect(await rows(lab, "SELECT text, response FROM prompts")).toEqual([{ text: WORK, response: LAST_ANSWER }]);
    expect(await rows(lab, "SELECT count(*) AS n FROM tool_uses")).toEqual([{ n: 9 }]);
    // `install` records which Node works, for whatever client it ran.
    await run(lab, ["install", "--method", "settings", "--yes"], {
      env: { CLAUDE_CONFIG_DIR: join(lab.root, "another") },
    });
    const { requests } = await session(lab, "Where were we? [[script:hello]]", options);
    expect(memoryIn(requests[0])).toContain(LAST_ANSWER);
  });
});

/** The client does not report SessionEnd. `session` throws if a hook failed or wrote to stderr. */
function whatHappened({ answer, hooks }: Session): object {
  return { answer, events: [...new Set(hooks.map((hook) => hook.event))].sort() };
}
