// Tests the user's own Claude Code as a model: the real client, with hooks and plugins installed, leaves no trace.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { startLoopback, WIRES } from "../conformance/loopback.ts";
import { session } from "./client.ts";
import {
  crowdedLab,
  expectIsolatedRequest,
  FAILING_SCENES,
  filesUnder,
  openIn,
  REQUEST,
  spentOf,
  timesFired,
  writeKeyHelper,
} from "./crowded-lab.ts";
import { testLab } from "./lab.ts";
import { OBSERVED } from "./scripts.ts";

describe("the claude provider and the real client", () => {
  it("answers; no hook runs, no transcript is written, nothing of the user's is sent", async () => {
    const { lab, fired } = await crowdedLab();
    const before = filesUnder(lab.home);
    const firedBefore = timesFired(fired);
    const { value, text, usage, model } = await openIn(lab, "claude").complete(REQUEST);
    expect({ value, text, model }).toEqual({
      value: OBSERVED,
      text: JSON.stringify(OBSERVED),
      model: "claude-haiku-4-5",
    });
    expect(usage.inputTokens).toBeGreaterThan(100);
    expect(usage.costUsd).toBeGreaterThan(0);

    expect(timesFired(fired)).toBe(firedBefore);
    expect(filesUnder(lab.home)).toEqual(before);
    expect(filesUnder(join(lab.claudeDir, "projects"))).toEqual([]);

    expectIsolatedRequest(lab);
  });

  it("would run all of that without its isolation, so the test above can fail", async () => {
    const { lab, fired } = await crowdedLab();
    const firedBefore = timesFired(fired);
    await session(lab, "Say hello [[script:hello]]");
    expect(timesFired(fired)).toBeGreaterThan(firedBefore + 2);
    expect(filesUnder(join(lab.claudeDir, "projects")).length).toBeGreaterThan(0);
  });

  it("uses the user's command that prints a key", async () => {
    const lab = await testLab();
    writeKeyHelper(lab, "key-of-the-helper");
    const loopback = await startLoopback(WIRES.messages, [{ kind: "words", text: "{}" }]);
    await openIn(lab, "claude", { ANTHROPIC_BASE_URL: loopback.url, ANTHROPIC_API_KEY: "" }).complete(REQUEST);
    expect(JSON.stringify(loopback.asked[0]?.headers)).toContain("key-of-the-helper");
  });

  it.each(FAILING_SCENES)("reports %s, and its cost", async (_, scene, expected) => {
    const lab = await testLab();
    const loopback = await startLoopback(WIRES.messages, [scene]);
    const error: unknown = await openIn(lab, "claude", { ANTHROPIC_BASE_URL: loopback.url })
      .complete(REQUEST)
      .catch((e: unknown) => e);
    expect(error).toMatchObject(expected);
    // The client continues a cut answer three times, and retries some refusals twice: the budget assumes four.
    expect(loopback.asked.length).toBeLessThanOrEqual(4);
    expect(error).toMatchObject({ spent: spentOf(scene, loopback.asked.length) });
  });
});
