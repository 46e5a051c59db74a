// What C-Mem injects on each surface with the real client, where in the request, and that nothing else is injected.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { data, run } from "../e2e/harness.ts";
import { memoryIn, session } from "./client.ts";
import type { ModelRequest } from "./fake-model.ts";
import { closeLab, createLab, type Lab } from "./lab.ts";
import { RIGHT } from "./scripts.ts";

const DRIFT = "The frobnicator calibration drifts because the quartz oscillator of the telescope is undersized";
const QUESTION = "Why does the frobnicator calibration drift with the quartz oscillator of the telescope?";
const FILE_RULE = "add() has to keep its argument order: the billing export depends on it";

const TOOL = `if (process.argv.includes("--quartz")) {
  console.error("error: unknown option '--quartz' of the report");
  process.exit(2);
}
`;

let lab: Lab;
const only = (surface: string) => ({ env: { C_MEM_SURFACES: surface } });

beforeAll(async () => {
  lab = await createLab();
  await run(lab, ["install", "--yes"]);
  // Two sessions and two remembered observations, from which context is injected.
  await session(lab, "Why does add subtract? [[script:work]]");
  writeFileSync(join(lab.project, "tool.mjs"), TOOL);
  await session(lab, "Make a report [[script:stumble]]");
  await run(lab, ["rebuild", "--all"]);
  // Indexes turns and commands, as the worker does.
  await run(lab, ["search", "report"]);
  await run(lab, ["remember", "--type", "discovery", DRIFT]);
  await run(lab, ["remember", "--type", "decision", "--file", "add.mjs", FILE_RULE]);
});

afterAll(() => closeLab(lab));

/** Every injected block in a request, which has the whole conversation.  */
const blocksIn = (request: ModelRequest | undefined): string[] =>
  request?.text.match(/<c-mem-context>[\s\S]*?<\/c-mem-context>/g) ?? [];

describe("the real client sends to the model", () => {
  it("where work stopped and what was decided, when a session starts", async () => {
    const { requests, hooks } = await session(lab, "Good morning [[script:hello]]", only("session-start"));
    const memory = memoryIn(requests[0]);
    expect(memory).toContain("## Where work stopped");
    expect(memory).toContain("add() had a minus sign");
    expect(memory).toContain(FILE_RULE);
    expect(memory).toContain("quartz oscillator");
    expect(hooks.find(({ event }) => event === "SessionStart")?.stdout).toContain('"systemMessage":"C-Mem: ');
  });

  it("context for a prompt that earlier sessions match, and nothing for others", async () => {
    const asked = await session(lab, `${QUESTION} [[script:hello]]`, only("prompt"));
    expect(blocksIn(asked.requests[0])).toEqual([expect.stringContaining(DRIFT)]);
    for (const prompt of ["Good morning", "Rename the button on the settings page to Save"]) {
      const other = await session(lab, `${prompt} [[script:hello]]`, only("prompt"));
      expect(blocksIn(other.requests[0])).toEqual([]);
    }
  });

  it("nothing in another project", async () => {
    const { requests } = await session(lab, `${QUESTION} [[script:touch]]`, { cwd: lab.other });
    for (const request of requests) expect(request.text).not.toContain("<c-mem-context>");
  });

  it("what was decided about a file, with the file, once", async () => {
    const { requests } = await session(lab, "Tidy up [[script:touch]]", only("file"));
    expect(blocksIn(requests[0])).toEqual([]);
    // The history has it after the read, so the edit that follows injects nothing.
    expect(blocksIn(requests[1])).toEqual([expect.stringContaining(FILE_RULE)]);
    expect(blocksIn(requests.at(-1)).filter((block) => block.includes(FILE_RULE))).toHaveLength(1);
  });

  it("the form that worked, before a command that failed earlier", async () => {
    const { requests } = await session(lab, "Report [[script:wrong]]", only("command"));
    expect(blocksIn(requests[0])).toEqual([]);
    expect(blocksIn(requests[1])).toEqual([expect.stringContaining(`\`${RIGHT}\` worked instead`)]);
    const other = await session(lab, "Report [[script:right]]", only("command"));
    for (const request of other.requests) expect(blocksIn(request)).toEqual([]);
  });

  it("the fix of an earlier error, in the request with the error", async () => {
    const { requests } = await session(lab, "Report [[script:wrong]]", only("error"));
    expect(requests[1]?.text).toContain("unknown option '--quartz'");
    expect(blocksIn(requests[1])).toEqual([expect.stringContaining(`\`${RIGHT}\` worked instead`)]);
    const other = await session(lab, "Report [[script:right]]", only("error"));
    for (const request of other.requests) expect(blocksIn(request)).toEqual([]);
  });

  it("context for a subagent's task, to the subagent", async () => {
    const before = lab.model.requests.length;
    const { requests } = await session(lab, `Ask a subagent: [[script:ask]]`, only("subagent"));
    const agents = lab.model.requests.slice(before).filter((request) => request.agentId !== undefined);
    expect(agents.length).toBeGreaterThan(0);
    expect(blocksIn(agents[0])).toEqual([expect.stringContaining(DRIFT)]);
    for (const request of requests) expect(blocksIn(request)).toEqual([]);
  });

  it("only injections that are counted", async () => {
    const { surfaces } = (await data(lab, ["impact"])) as unknown as { surfaces: { surface: string }[] };
    expect(surfaces.map(({ surface }) => surface)).toEqual(
      expect.arrayContaining(["session-start", "prompt", "file", "command", "error", "subagent"]),
    );
  });
});
