// c-mem efforts: work that took several sessions, as text and as JSON.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { bash, DAY, ended, prompt, seedStore, START, touch } from "../seed.ts";
import { createWorld, data, run, type World } from "./harness.ts";

const PLAN = "11111111-aaaa-4aaa-8aaa-aaaaaaaaaaaa";
const CODE = "22222222-bbbb-4bbb-8bbb-bbbbbbbbbbbb";
const ALONE = "33333333-cccc-4ccc-8ccc-cccccccccccc";

/** A plan, its implementation, and an unrelated session. */
function createPast(): World {
  const world = createWorld();
  const { project: root } = world;
  const { db, add } = seedStore(join(world.home, "c-mem.db"), {
    cwd: root,
    project: { key: root, name: "project", root },
  });
  add(PLAN, prompt("Plan the parsing of invoices."));
  add(PLAN, ended("Line by line."));
  add(CODE, prompt(`Implement the following plan:\n\n# Parse invoices line by line\n\nMore is in /x/${PLAN}.jsonl`));
  add(CODE, touch("src/invoice.ts", "create"));
  add(CODE, bash("git commit -m x", "[main 1a2b3c4] Parse invoices"));
  add(
    CODE,
    prompt(
      "Fix the rounding error in the invoice parser. From now on amounts must always be big integers, never floats.",
    ),
  );
  add(CODE, touch("src/amount.ts", "create"));
  add(CODE, ended("Parsed.\n\n## Next steps\n\n- Document the invoice format"));
  add(ALONE, prompt("Update the readme"), { at: START + 20 * DAY });
  add(ALONE, touch("README.md"));
  db.close();
  return world;
}

describe("efforts on the command line", () => {
  it("are listed and shown, as text and as JSON", async () => {
    const world = createPast();
    const { results = [] } = (await data(world, ["efforts"])) as { results?: { id: string }[] };
    expect(results).toMatchObject([
      {
        id: expect.stringMatching(/^e[0-9a-f]{9}$/),
        title: "Parse invoices line by line",
        project: "project",
        started_at: expect.stringMatching(/Z$/),
        sessions: [
          { session_id: PLAN, continues: null },
          { session_id: CODE, continues: PLAN, weight: 1, outcome: expect.stringContaining("1 commit") },
        ],
        decisions: [{ id: expect.stringMatching(/^o\d+$/), session_id: CODE }],
        open_ends: [
          { session_id: CODE, text: "Document the invoice format" },
          { session_id: CODE, text: "src/amount.ts is changed but not committed." },
        ],
      },
    ]);
    const id = results[0]?.id ?? "";
    const list = await run(world, ["efforts"]);
    expect(list).toMatchObject({ status: 0, stderr: "" });
    expect(list.stdout).toMatch(
      new RegExp(`^${id}  .*  Parse invoices line by line\\n +2 sessions · main · 2 open\\n`),
    );
    const told = await run(world, ["effort", id]);
    expect(told).toMatchObject({ status: 0, stderr: "" });
    expect(told.stdout).toMatch(
      /11111111 .*\n.*22222222 {2}Parse invoices line by line → [\s\S]*Decided\n[\s\S]*Open\n {2}22222222 {2}Document the invoice format/,
    );
    expect(await data(world, ["effort", "11111111"])).toEqual(results[0]);
    expect(await data(world, ["timeline", CODE])).toMatchObject({
      results: [
        { continues: [] },
        { session_id: CODE, continues: [{ session_id: PLAN, weight: 1 }] },
        { session_id: CODE },
        { continues: [] },
      ],
    });
    expect(await data(world, ["related", PLAN])).toMatchObject({
      results: [{ session_id: CODE, reasons: expect.arrayContaining(["continues this session"]) }],
    });
    const { stdout } = await run(world, ["__complete", "effort", "e"]);
    expect(stdout).toMatch(new RegExp(`^${id}\\t.*Parse invoices line by line`));
  });

  it("that do not exist exit with code 4", async () => {
    const world = createPast();
    for (const args of [
      ["effort", ALONE],
      ["effort", "e123456789"],
      ["efforts", "--since", "2999-01-01"],
    ]) {
      const { status, stdout, stderr } = await run(world, args);
      expect([args, status, stdout]).toEqual([args, 4, ""]);
      expect(stderr).not.toBe("");
    }
    expect((await run(world, ["efforts", "--limit", "none"])).status).toBe(2);
  });
});
