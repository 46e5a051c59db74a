import { describe, expect, it } from "vitest";
import { bash, ended, prompt, said, seedStore, type Seeded, START } from "../../test/seed.ts";
import type { Activity, Injection, Surface } from "../core/event.ts";
import type { Observation } from "../core/memory.ts";
import { impactBySurface } from "../store/reads/impact.ts";
import { insertObservation } from "../store/tables/observations.ts";
import { deriveSession } from "./derive.ts";

const OBSERVATION: Observation = {
  type: "bugfix",
  title: "Login redirect loop came from stale cookies",
  narrative: "n",
  facts: [],
  concepts: [],
  files: ["src/login.ts"],
  evidence: ["p1"],
  origin: "user",
};

/** Returns how many items were used by a session that gets the injection and then acts. */
function session(surface: Surface, items: string[], act: (seeded: Seeded) => void): number {
  const seeded = seedStore();
  const { db, add } = seeded;
  add("old", prompt("Fix the login"));
  add("old", bash("npm run login-check"));
  add("old", ended("The session cookies expire before the redirect finishes."));
  insertObservation(
    db,
    {
      projectId: 1,
      turn: { sessionDbId: 1, promptNumber: 1 },
      observation: OBSERVATION,
      producer: { name: "user" },
      validFrom: START,
    },
    START,
  );
  add("new", prompt("What now?"));
  const injection: Injection = { surface, itemIds: items, chars: 10, tokens: 3 };
  add("new", { kind: "injection" }, { injection });
  act(seeded);
  add("new", ended("Done."));
  deriveSession(db, 2, START);
  const [row] = impactBySurface(db, {});
  db.close();
  expect(row).toMatchObject({ surface, injections: 1, items: items.length, tokens: 3 });
  return row?.items_used ?? -1;
}

const read = (path: string): Activity => ({
  kind: "tool-use",
  name: "Read",
  input: { file_path: path },
  isError: false,
  files: [{ path, kind: "read" }],
});

describe("an injected item", () => {
  it.each<[string, Surface, string, (seeded: Seeded) => void, number]>([
    [
      "counts as used when its id is named",
      "prompt",
      "o1",
      ({ add }) => add("new", said("m1", "As #o1 says, cookies.")),
      1,
    ],
    [
      "counts as used if it is a turn whose answer is repeated",
      "prompt",
      "p1",
      ({ add }) => add("new", said("m1", "The session cookies expire before the redirect finishes.")),
      1,
    ],
    [
      "is not used if it is a turn about something else",
      "prompt",
      "p1",
      ({ add }) => add("new", said("m1", "Hello.")),
      0,
    ],
    [
      "counts as used if its title is repeated",
      "file",
      "o1",
      ({ add }) => add("new", said("m1", "The redirect loop of the login: stale cookies.")),
      1,
    ],
    ["counts as used if its file is touched", "prompt", "o1", ({ add }) => add("new", read("src/login.ts")), 1],
    ["counts as used if its fix is run", "error", "t1", ({ add }) => add("new", bash("npm run login-check")), 1],
    [
      "does not count if none of these happened",
      "prompt",
      "o1",
      ({ add }) => add("new", said("m1", "Something else, o12.")),
      0,
    ],
    [
      "does not count if only the file that it was shown for is touched",
      "file",
      "o1",
      ({ add }) => add("new", read("src/login.ts")),
      0,
    ],
    [
      "does not count if it was shown by title only and its file is touched",
      "session-start",
      "i1",
      ({ add }) => add("new", read("src/login.ts")),
      0,
    ],
  ])("%s", (_, surface, item, act, expected) => {
    expect(session(surface, [item], act)).toBe(expected);
  });

  it("counts once per injection, however often memory is derived", () => {
    const { db, add } = seedStore();
    add("s", prompt("Go"));
    add("s", { kind: "injection" }, { injection: { surface: "prompt", itemIds: ["o9"], chars: 1, tokens: 1 } });
    add("s", said("m", "o9"));
    deriveSession(db, 1, START);
    add("s", ended("o9 again"));
    deriveSession(db, 1, START);
    expect(impactBySurface(db, {})).toMatchObject([{ injections: 1, used: 1, items_used: 1 }]);
    db.close();
  });
});
