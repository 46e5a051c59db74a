import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { upsertMessage } from "./messages.ts";
import { openStore } from "../db/open.ts";
import { upsertProject } from "./projects.ts";
import { upsertSession } from "./sessions.ts";

it("a message reported twice keeps the longer text and the higher token counts", () => {
  const db = openStore(join(mkdtempSync(join(tmpdir(), "c-mem-messages-")), "c-mem.db"));
  const projectId = upsertProject(db, { key: "k", name: "k", root: "/k" }, 1);
  const { id } = upsertSession(db, { sessionId: "s", agent: "claude-code", projectId, cwd: "/k", at: 1 });
  const seed = { sessionDbId: id, promptNumber: 1, uuid: "m1", role: "assistant" as const, at: 1 };
  upsertMessage(db, { ...seed, text: "One." });
  upsertMessage(db, {
    ...seed,
    text: "One.\n\nTwo.",
    parentUuid: "u1",
    tokens: { input: 3, output: 5, cacheRead: 7, cacheWrite: 9 },
  });
  upsertMessage(db, { ...seed, text: "One.", tokens: { input: 3, output: 1, cacheRead: 7, cacheWrite: 2 } });
  expect(
    db.all(
      "SELECT text, parent_uuid, input_tokens, output_tokens, cache_read_tokens, cache_write_tokens FROM messages",
    ),
  ).toEqual([
    {
      text: "One.\n\nTwo.",
      parent_uuid: "u1",
      input_tokens: 3,
      output_tokens: 5,
      cache_read_tokens: 7,
      cache_write_tokens: 9,
    },
  ]);
  db.close();
});
