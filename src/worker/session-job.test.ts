import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { ended, MINUTE, prompt, seedStore } from "../../test/seed.ts";
import { resolvePaths } from "../config/paths.ts";
import { deriveSession } from "../memory/derive.ts";
import { waitingTurns } from "../store/tables/model-turns.ts";
import { runSessionJob } from "./session-job.ts";

it("A turn waits for the model also if another process, e.g. the page, derived its memory first", () => {
  const env = { HOME: mkdtempSync(join(tmpdir(), "c-mem-session-job-")) };
  const paths = resolvePaths(env);
  const { db, add } = seedStore();
  const now = Date.now();
  add("s1", prompt("Retry failed uploads"), { at: now - MINUTE });
  add("s1", ended("Failed uploads are retried."), { at: now });
  deriveSession(db, 1, now);
  mkdirSync(paths.home, { recursive: true });
  writeFileSync(paths.config, JSON.stringify({ provider: "ollama", model: "m" }));
  Array.from(runSessionJob(db, "s1", { paths, env, now }));
  expect(waitingTurns(db, 1)).toEqual([1]);
  expect(db.column("SELECT key FROM jobs WHERE kind = 'enrich' ORDER BY key")).toEqual(["enrich:1", "handover:1"]);
  writeFileSync(paths.config, "{ broken");
  Array.from(runSessionJob(db, "s1", { paths, env, now }));
  expect(waitingTurns(db, 1)).toEqual([1]);
  // Without a model nothing waits.
  writeFileSync(paths.config, "{}");
  Array.from(runSessionJob(db, "s1", { paths, env, now }));
  expect(waitingTurns(db, 1)).toEqual([]);
});
