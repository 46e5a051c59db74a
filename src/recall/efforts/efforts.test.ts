import { describe, expect, it } from "vitest";
import { bash, DAY, ended, MINUTE, prompt, said, type Seeded, seedStore, START, touch } from "../../../test/seed.ts";
import { deriveSession, rebuildMemory } from "../../memory/derive.ts";
import { updateLinks } from "../../memory/relate/update-links.ts";
import type { Db } from "../../store/db/driver.ts";
import { staleSessions } from "../../store/tables/stale-turns.ts";
import { effortStory } from "./efforts.ts";
import { type Effort, findEffort, findEfforts, isEffortId } from "./efforts.ts";

const PLAN = { kind: "origin", plan: "calm-blue-sea" } as const;
const members = (efforts: readonly Effort[]): string[][] =>
  efforts.map((effort) => effort.members.map(({ session_id }) => session_id));

function derive(db: Db): void {
  for (const { id } of staleSessions(db)) deriveSession(db, id, START);
  updateLinks(db, { maxMs: Infinity });
}

/** A plan, its implementation on a branch, a fix there, and an unrelated session. */
function work({ add }: Seeded): void {
  const on = { branch: "feat/parse-invoices-lines" };
  add("plan", prompt("How should we parse invoices?"), { at: START });
  add("plan", PLAN);
  add("plan", ended("A plan."));
  add("other", prompt("Update the readme"), { at: START + 10 * MINUTE });
  add("other", touch("README.md"));
  add("code", prompt("Implement the following plan:\n\n# Plan: Parse invoices line by line\n\nDo it."), {
    at: START + 20 * MINUTE,
  });
  add("code", PLAN);
  add("code", touch("src/invoice.ts", "create"), on);
  add("code", touch("src/lines.ts", "create"), { ...on, agentId: "helper" });
  add("code", bash("git commit -m x", "[feat/parse-invoices-lines abc1234] Parse invoices"), on);
  add(
    "code",
    ended("Parsed.\n\n## Next steps\n\n- Handle invoices in foreign currencies\n- Document the invoice format"),
    on,
  );
  add(
    "fix",
    prompt(
      "Fix the rounding error in the invoice parser. From now on amounts must always be big integers, never floats.",
    ),
    {
      ...on,
      at: START + DAY,
    },
  );
  add("fix", touch("src/invoice.ts"), on);
  add("fix", ended("Fixed."), on);
  add("fix", prompt("Handle invoices in foreign currencies as well"), on);
}

describe("efforts", () => {
  it("group sessions that continue each other, from the plan to the fix", () => {
    const seeded = seedStore();
    work(seeded);
    derive(seeded.db);
    expect(members(findEfforts(seeded.db))).toEqual([["plan", "code", "fix"]]);
    seeded.db.close();
  });

  it("list sessions in order, decisions and open ends", () => {
    const seeded = seedStore();
    const { db } = seeded;
    work(seeded);
    derive(db);
    const [effort] = findEfforts(db);
    const story = effortStory(db, effort as Effort);
    expect(story).toMatchObject({
      title: "Parse invoices line by line",
      project: "app",
      branches: ["main", "feat/parse-invoices-lines"],
      agents: ["claude-code"],
      subagents: 1,
      startedAt: START,
      sessions: [
        { session: { session_id: "plan" }, continues: undefined },
        {
          session: { session_id: "code", title: "Parse invoices line by line" },
          continues: { session_id: "plan", weight: 0.95 },
        },
        { session: { session_id: "fix" }, continues: { session_id: "code" } },
      ],
    });
    expect(story.decisions.map(({ session_id, title }) => [session_id, title])).toEqual([
      ["fix", "From now on amounts must always be big integers, never floats"],
    ]);
    expect(story.openEnds).toEqual([
      {
        session_id: "fix",
        text: "Nothing is committed: the session made no commit of its changes to src/invoice.ts.",
      },
      { session_id: "code", text: "Document the invoice format" },
    ]);
    db.close();
  });

  it("keep their id when later sessions join; it still finds them when an earlier session has joined", () => {
    const seeded = seedStore();
    const { db, add } = seeded;
    work(seeded);
    derive(db);
    const id = findEfforts(db)[0]?.id ?? "";
    expect(isEffortId(id)).toBe(true);
    add("more", prompt("Speed up the invoice parser"), { at: START + 2 * DAY, branch: "feat/parse-invoices-lines" });
    add("more", touch("src/invoice.ts"), { branch: "feat/parse-invoices-lines" });
    derive(db);
    for (const _ of rebuildMemory(db, { now: START }));
    const [grown] = findEfforts(db);
    expect(grown).toMatchObject({ id, members: { length: 4 } });
    // An older transcript is imported later.
    add("first", prompt("Think about invoices"), { at: START - MINUTE });
    add("first", PLAN);
    derive(db);
    const [whole] = findEfforts(db);
    expect(whole?.members[0]?.session_id).toBe("first");
    expect(whole?.id).not.toBe(id);
    expect(findEffort(db, { id })).toEqual(whole);
    expect(findEffort(db, { sessionDbId: grown?.members[3]?.id ?? 0 })).toEqual(whole);
    expect(findEffort(db, { id: "e000000000" })).toBeUndefined();
    db.close();
  });

  it("are filtered by project, agent and time", () => {
    const seeded = seedStore();
    const { db, add } = seeded;
    work(seeded);
    const far = { project: { key: "other", name: "other", root: "/other" }, agent: "codex", branch: "try" };
    add("far1", prompt("Begin"), { ...far, at: START + 5 * DAY });
    add("far1", touch("a.ts"), far);
    add("far2", prompt("Go on"), far);
    derive(db);
    const project = db.get<{ id: number }>("SELECT id FROM projects WHERE key = 'other'")?.id;
    const names = (scope: Parameters<typeof findEfforts>[1]): (string | undefined)[] =>
      members(findEfforts(db, scope)).map(([first]) => first);
    expect(names({})).toEqual(["far1", "plan"]);
    expect(names({ projectId: project })).toEqual(["far1"]);
    expect(names({ agent: "claude-code" })).toEqual(["plan"]);
    expect(names({ since: START + 3 * DAY })).toEqual(["far1"]);
    expect(names({ before: START + DAY })).toEqual(["plan"]);
    db.close();
  });

  it("are named after their branch unless a session's title has its words", () => {
    const { db, add } = seedStore();
    const on = { branch: "feat/user-to-user-sharing" };
    add("a", prompt("ok go"), on);
    add("a", touch("a.ts"), on);
    add("a", said("m1", "Done."), on);
    add("b", prompt("There are more comments on the pull request"), on);
    derive(db);
    expect(findEfforts(db).map((effort) => effortStory(db, effort).title)).toEqual(["User to user sharing"]);
    db.close();
  });
});
