import { execFile } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { tinyHome } from "../../test/embed/tiny-model.ts";
import { openLocal } from "./local.ts";
import { minilmFile } from "./minilm.ts";
import { openSpawned } from "./spawned.ts";

const TEXTS = Array.from({ length: 50 }, (_, index) => `the login test ${"fails ".repeat(index)}`);

describe("the model in its own process", () => {
  it("returns the same vectors as this process, in the order of the texts", async () => {
    const paths = tinyHome();
    const spawned = await openSpawned(paths);
    const local = openLocal(paths);
    expect({ id: spawned.id, dimensions: spawned.dimensions }).toEqual({ id: "tiny", dimensions: 128 });
    expect(await spawned.embed(TEXTS)).toEqual(await local.embed(TEXTS));
    expect(await spawned.embed([])).toEqual([]);
    await spawned.close();
  });

  it("stops when idle, and starts again with the next request", async () => {
    const embedder = await openSpawned(tinyHome(), { idleMs: 50 });
    const [first] = await embedder.embed(["the worker"]);
    const pid = embedder.pid;
    expect(pid).toBeTypeOf("number");
    while (embedder.pid !== undefined) await setTimeout(10);
    expect((await embedder.embed(["the worker"]))[0]).toEqual(first);
    expect(embedder.pid).not.toBe(pid);
    await embedder.close();
    expect(embedder.pid).toBeUndefined();
  });

  it("answers a query before an earlier long batch", async () => {
    const embedder = await openSpawned(tinyHome());
    const order: string[] = [];
    const batch = embedder
      .embed(Array.from({ length: 300 }, () => "the worker ".repeat(40)))
      .then(() => order.push("batch"));
    await Promise.all([batch, embedder.embed(["the"]).then(() => order.push("question"))]);
    expect(order).toEqual(["question", "batch"]);
    await embedder.close();
  });

  it("fails to start if the model is missing or damaged", async () => {
    const paths = tinyHome();
    const path = minilmFile(paths);
    writeFileSync(path, readFileSync(path).subarray(0, -100));
    await expect(openSpawned(paths)).rejects.toMatchObject({ code: "model_damaged" });
    rmSync(path);
    await expect(openSpawned(paths)).rejects.toMatchObject({
      code: "model_missing",
      hint: expect.stringContaining("words"),
    });
  });

  it("fails if the model was damaged while the process was stopped, and recovers", async () => {
    const paths = tinyHome();
    const embedder = await openSpawned(paths);
    await embedder.close();
    const whole = readFileSync(minilmFile(paths));
    writeFileSync(minilmFile(paths), whole.subarray(0, -100));
    await expect(embedder.embed(["the"])).rejects.toMatchObject({ code: "model_damaged" });
    writeFileSync(minilmFile(paths), whole);
    expect(await embedder.embed(["the"])).toHaveLength(1);
    await embedder.close();
  });

  it("rejects waiting requests when it is closed", async () => {
    const embedder = await openSpawned(tinyHome());
    const answer = embedder.embed(TEXTS);
    await Promise.all([expect(answer).rejects.toThrow("ended"), embedder.close()]);
  });

  it("starts again after it was killed", async () => {
    const embedder = await openSpawned(tinyHome());
    const answer = embedder.embed(TEXTS);
    process.kill(embedder.pid ?? 0, "SIGKILL");
    await expect(answer).rejects.toThrow("ended");
    expect(await embedder.embed(TEXTS)).toHaveLength(TEXTS.length);
    await embedder.close();
  });

  it("does not keep its parent alive, and exits with it", async () => {
    const script = `
      const { openSpawned } = await import(${JSON.stringify(new URL("./spawned.ts", import.meta.url).href)});
      const { resolvePaths } = await import(${JSON.stringify(new URL("../config/paths.ts", import.meta.url).href)});
      const embedder = await openSpawned(resolvePaths(process.env));
      console.log(embedder.pid, (await embedder.embed(["the"])).length);
      const other = await openSpawned(resolvePaths(process.env));
      await other.close();
      console.log("closed");`;
    const env = { ...process.env, C_MEM_HOME: tinyHome().home };
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "-e", script], {
      env,
      timeout: 50_000,
    });
    const [pid = 0, count] = (stdout.split("\n")[0] ?? "").split(" ").map(Number);
    expect(count).toBe(1);
    expect(stdout).toContain("closed");
    while (isAlive(pid)) await setTimeout(10);
  });
});

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
