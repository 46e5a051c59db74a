// A session with the real client: what is recorded of it, and where it is injected.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { data, rows, run } from "../e2e/harness.ts";
import { memoryIn, type Session, session } from "./client.ts";
import { closeLab, createLab, type Lab } from "./lab.ts";
import { CHECK, LAST_ANSWER, REPORT } from "./scripts.ts";

const PROMPT = "Why does add subtract? [[script:work]]";

let lab: Lab;
let first: Session;

beforeAll(async () => {
  lab = await createLab();
  await run(lab, ["install", "--yes"]);
  first = await session(lab, PROMPT);
});

afterAll(() => closeLab(lab));

describe("a session of the real client", () => {
  it("is recorded with its subagent, prompt, last answer and end", async () => {
    expect(first.answer).toBe(LAST_ANSWER);
    const sessions = await rows(
      lab,
      `SELECT s.session_id, s.status, s.prompt_count, s.title, s.subtitle, s.git_branch, s.report, p.session_id AS parent
       FROM sessions s LEFT JOIN sessions p ON p.id = s.parent_session_db_id ORDER BY s.id`,
    );
    const shared = { status: "completed", git_branch: "trunk" };
    expect(sessions).toEqual([
      { ...shared, session_id: first.id, prompt_count: 1, title: PROMPT, subtitle: null, report: null, parent: null },
      {
        ...shared,
        session_id: expect.stringMatching(/^agent-\w+$/),
        prompt_count: 0,
        title: null,
        subtitle: "general-purpose",
        report: REPORT,
        parent: first.id,
      },
    ]);
    expect(await rows(lab, "SELECT prompt_number, text, response FROM prompts")).toEqual([
      { prompt_number: 1, text: PROMPT, response: LAST_ANSWER },
    ]);
  });

  it("has each tool use once, with failures and subagents marked", async () => {
    const uses = await rows(
      lab,
      `SELECT name, json_extract(input, '$.command') AS command, is_error, exit_code, 'agent-' || agent_id AS agent, s.session_id AS session
       FROM tool_uses t JOIN sessions s ON s.id = t.session_db_id WHERE prompt_number = 1 ORDER BY tool_use_id`,
    );
    const [subagent] = await rows<{ session_id: string }>(
      lab,
      "SELECT session_id FROM sessions WHERE parent_session_db_id IS NOT NULL",
    );
    const own = { command: null, is_error: 0, exit_code: null, agent: null, session: first.id };
    const agents = { ...own, agent: subagent?.session_id, session: subagent?.session_id };
    expect(uses).toEqual([
      { ...own, name: "Read" },
      { ...own, name: "Bash", command: CHECK, is_error: 1, exit_code: 1 },
      { ...own, name: "Edit" },
      { ...own, name: "Bash", command: CHECK, exit_code: 0 },
      { ...own, name: "Bash", command: "echo parallel", exit_code: 0 },
      { ...own, name: "Write" },
      { ...own, name: "Agent" },
      { ...agents, name: "Read" },
      { ...agents, name: "Bash", command: "ls", exit_code: 0 },
    ]);
  });

  it("has the files it touched and their changed lines", async () => {
    const touches = await rows(lab, "SELECT path, kind, added, removed FROM file_touches ORDER BY path, kind");
    expect(touches).toEqual([
      { path: "README.md", kind: "read", added: null, removed: null },
      { path: "add.mjs", kind: "edit", added: 1, removed: 1 },
      { path: "add.mjs", kind: "read", added: null, removed: null },
      { path: "notes.md", kind: "create", added: 2, removed: 0 },
    ]);
  });

  it("appears in status, with every hook fired and no errors", async () => {
    const status = await data(lab, ["status"]);
    expect(status).toMatchObject({
      counts: { projects: 1, sessions: 1, subagents: 1, prompts: 1, tool_uses: 9 },
      spool: { waiting: 0 },
      errors: [],
      problems: [],
      healthy: true,
    });
    const fired = status["hooks"] as unknown as { command: string; count: number }[];
    expect(fired.map(({ command, count }) => [command, count])).toEqual([
      ["context", 1],
      ["new", 1],
      ["recall", 10],
      ["save", 9],
      ["summary", 2],
      ["cleanup", 1],
    ]);
  });

  it("is injected into every request of the next session in its project", async () => {
    const next = await session(lab, "Where were we? [[script:list]]");
    expect(next.requests).toHaveLength(2);
    for (const request of next.requests) {
      const memory = memoryIn(request);
      for (const part of ["## Where work stopped", "Files changed: ", "add.mjs", "notes.md"]) {
        expect(memory).toContain(part);
      }
    }
  });

  it("is not injected in another project", async () => {
    const { requests } = await session(lab, "Good morning [[script:hello]]", { cwd: lab.other });
    expect(requests).toHaveLength(1);
    for (const secret of ["<c-mem-context>", PROMPT, LAST_ANSWER]) expect(requests[0]?.text).not.toContain(secret);
  });

  it("is not doubled when its transcript is synced too", async () => {
    const tables = ["sessions", "prompts", "tool_uses", "file_touches"];
    const count = () =>
      rows(lab, tables.map((table) => `SELECT '${table}' AS name, count(*) AS n FROM ${table}`).join(" UNION ALL "));
    const before = await count();
    expect((await run(lab, ["sync"])).status).toBe(0);
    expect(await count()).toEqual(before);
  });
});
