import { expect, it } from "vitest";
import { AGENTS } from "../../agents/spec.ts";
import { AGENTS_WITH_SESSIONS } from "../../config/schema.ts";

it("the setting sessionFolders accepts every agent whose sessions are read from files", () => {
  const ids = AGENTS.filter(({ sources }) => sources.length > 0).map(({ id }) => id);
  expect([...AGENTS_WITH_SESSIONS].toSorted()).toEqual(ids.toSorted());
});
