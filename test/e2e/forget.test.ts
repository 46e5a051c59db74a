// c-mem forget: the preview, and what the receipt says.
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createWorld, data, hook, run, type World } from "./harness.ts";

const prompt = (world: World, text: string) =>
  hook(world, "new", { session_id: "s1", prompt_id: text, hook_event_name: "UserPromptSubmit", prompt: text });

describe("c-mem forget", () => {
  it.each(["a", "ab", "abc"])("rejects text as short as %j and says what to do", async (text) => {
    const world = createWorld();
    await prompt(world, "abc");
    const { status, stderr } = await run(world, ["forget", text, "--yes"]);
    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: expect.stringContaining(`"${text}" is too short: forgetting by text needs at least 4 characters.`),
    });
    expect(stderr).toContain("by its id");
  });

  it("reports what was verified if the text is too short to search in files", async () => {
    const world = createWorld();
    await prompt(world, "go on");
    const { status, stdout } = await run(world, ["forget", "p1", "--yes"]);
    expect(status).toBe(0);
    expect(stdout).not.toContain("0 pieces");
    expect(stdout).toContain("its rows and index entries are deleted");
    expect(stdout).toContain("not searched: text under 16 characters may also be part of other text");
    await prompt(world, "next");
    const { proof } = (await data(world, ["forget", "p2", "--yes"])) as unknown as { proof: object };
    expect(proof).toMatchObject({ pieces: 0, texts_too_short: 1, files_scanned: 0, search_hits: 0, log_emptied: true });
  });

  it("never reuses an id", async () => {
    const world = createWorld();
    for (const text of ["Use pnpm for packages.", "Deploy on Fridays only."]) await run(world, ["remember", text]);
    await run(world, ["forget", "o2", "--yes"]);
    expect((await run(world, ["remember", "Deploy on Mondays only."])).stdout).toContain("o3");
  });

  it("dates an observation by its evidence", async () => {
    const world = createWorld();
    await run(world, ["remember", "Use pnpm for packages."]);
    const db = new DatabaseSync(join(world.home, "c-mem.db"));
    db.exec(`UPDATE observations SET valid_from = ${Date.UTC(2024, 4, 17, 12)}`);
    db.close();
    expect((await run(world, ["forget", "o1", "--dry-run"])).stdout).toContain("2024-05-17");
  });
});
