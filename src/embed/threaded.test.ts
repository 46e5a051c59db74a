import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { tinyHome } from "../../test/embed/tiny-model.ts";
import { openLocal } from "./local.ts";
import { minilmFile } from "./minilm.ts";
import { openThreaded } from "./threaded.ts";

const TEXTS = Array.from({ length: 50 }, (_, index) => `the login test ${"fails ".repeat(index)}`);

describe("the model in a thread", () => {
  it("gives the same vectors as in this process, in the order of the texts", async () => {
    const paths = tinyHome();
    const threaded = await openThreaded(paths);
    const local = openLocal(paths);
    expect({ id: threaded.id, dimensions: threaded.dimensions }).toEqual({ id: "tiny", dimensions: 128 });
    expect(await threaded.embed(TEXTS)).toEqual(await local.embed(TEXTS));
    expect(await threaded.embed([])).toEqual([]);
    await threaded.close();
  });

  it("ends when nothing was asked for a while, and starts again when something is", async () => {
    const embedder = await openThreaded(tinyHome(), { idleMs: 50 });
    const [first] = await embedder.embed(["the worker"]);
    expect(embedder.isRunning).toBe(true);
    while (embedder.isRunning) await setTimeout(10);
    expect((await embedder.embed(["the worker"]))[0]).toEqual(first);
    await embedder.close();
    expect(embedder.isRunning).toBe(false);
  });

  it("answers a question before a long batch that came first", async () => {
    const embedder = await openThreaded(tinyHome());
    const order: string[] = [];
    const batch = embedder
      .embed(Array.from({ length: 300 }, () => "the worker ".repeat(40)))
      .then(() => order.push("batch"));
    await Promise.all([batch, embedder.embed(["the"]).then(() => order.push("question"))]);
    expect(order).toEqual(["question", "batch"]);
    await embedder.close();
  });

  it("says that there is no model, or that it is damaged, instead of starting", async () => {
    const paths = tinyHome();
    const path = minilmFile(paths);
    writeFileSync(path, readFileSync(path).subarray(0, -100));
    await expect(openThreaded(paths)).rejects.toMatchObject({ code: "model_damaged" });
    rmSync(path);
    await expect(openThreaded(paths)).rejects.toMatchObject({
      code: "model_missing",
      hint: expect.stringContaining("words"),
    });
  });

  it("says so when the model was damaged while the thread was away, and recovers", async () => {
    const paths = tinyHome();
    const embedder = await openThreaded(paths);
    await embedder.close();
    const whole = readFileSync(minilmFile(paths));
    writeFileSync(minilmFile(paths), whole.subarray(0, -100));
    await expect(embedder.embed(["the"])).rejects.toMatchObject({ code: "model_damaged" });
    writeFileSync(minilmFile(paths), whole);
    expect(await embedder.embed(["the"])).toHaveLength(1);
    await embedder.close();
  });

  it("rejects what was asked when it is closed meanwhile", async () => {
    const embedder = await openThreaded(tinyHome());
    const answer = embedder.embed(TEXTS);
    await Promise.all([expect(answer).rejects.toThrow("ended"), embedder.close()]);
  });
});
