import { expect, it } from "vitest";
import { bash, ended, prompt, seedStore } from "../../../test/seed.ts";
import { estimateTokens } from "../../core/tokens.ts";
import { deriveSession } from "../derive.ts";
import { sessionRecord } from "./session-record.ts";

it("A session's record has a limit: of a very long one, the first turns and the last ones that fit", () => {
  const { db, add } = seedStore();
  const turns = 300;
  for (let turn = 1; turn <= turns; turn++) {
    add("s", prompt(`Task ${turn}: change the module and say in a few words what was done and what is left to do`));
    add("s", bash(`npm run step-${turn}`, "ok"));
    add("s", ended(`Step ${turn} is done, and the tests of this module pass again after the change.`));
  }
  deriveSession(db, 1, Date.now());
  const { text, ids, prompts } = sessionRecord(db, 1);
  expect(prompts).toHaveLength(turns);
  expect(estimateTokens(text)).toBeLessThan(6_300);
  expect(text).toMatch(/=== turn 1 ===[^]*=== \d+ turns are not shown ===[^]*=== turn 300 ===/);
  expect([ids.has("p1"), ids.has("p300"), ids.has("p100")]).toEqual([true, true, false]);
});
