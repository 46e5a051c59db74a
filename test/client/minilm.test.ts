// The real model, fetched as a user fetches it (or from C_MEM_MINILM): its vectors and its memory use.
import { existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { type Paths, resolvePaths } from "../../src/config/paths.ts";
import type { Embedder } from "../../src/embed/embedder.ts";
import { loadEngine } from "../../src/embed/engine.ts";
import { openLocal } from "../../src/embed/local.ts";
import { findMiniLm, loadMiniLm, minilmFile } from "../../src/embed/minilm.ts";
import { openTensors } from "../../src/embed/safetensors.ts";
import { openSpawned } from "../../src/embed/spawned.ts";
import { createWorld, FIXTURES, run } from "../e2e/harness.ts";
import { cosine, plainModel } from "../embed/plain-bert.ts";

/** Texts with the tokens and vectors that other implementations give: Hugging Face's tokenizer, candle over fp16. */
const KNOWN = JSON.parse(readFileSync(join(FIXTURES, "..", "minilm.json"), "utf8")) as {
  text: string;
  tokens: number[];
  vector: number[];
}[];

const TEXTS = [
  "Why does `npm ci` fail with EINTEGRITY after the lock file was merged?",
  "diff --git a/src/store.js b/src/store.js\n-  return todos\n+  return todos.filter((todo) => !todo.done)",
  "Added src/filter.js with `open`. Next: wire it to the buttons in the footer, which still show every todo.",
  "error TS2339: Property 'grow' does not exist on type 'Memory'.",
];
/** Texts of one or two words have larger rounding errors. */
const WORDS = ["yes", "thanks", "fix it", "why?"];

const world = createWorld();
let paths: Paths;

beforeAll(async () => {
  // The home is temporary, but npm's settings are this machine's own.
  world.env["NPM_CONFIG_USERCONFIG"] = join(homedir(), ".npmrc");
  for (const name of ["NODE_EXTRA_CA_CERTS", "HTTPS_PROXY", "NO_PROXY"]) world.env[name] = process.env[name] ?? "";
  paths = resolvePaths(world.env);
  const from = process.env["C_MEM_MINILM"];
  const result = await run(world, ["model", "install", "--yes", ...(from === undefined ? [] : ["--from", from])]);
  if (result.status !== 0) throw new Error(result.stderr);
});

describe("c-mem model", () => {
  it("reports that the model is ready, with nothing to install", async () => {
    const { stdout } = await run(world, ["model", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ data: { state: "ready", id: "minilm-l6-v2-int8", dimensions: 384 } });
    expect((await run(world, ["model", "install"])).stderr).toContain("already installed");
  });

  it("builds the model again when it is damaged, without a network", async () => {
    truncateSync(minilmFile(paths), 1_000_000);
    expect((await run(world, ["model"])).stdout).toContain("damaged");
    const offline = { npm_config_offline: "true", npm_config_cache: join(world.home, "no-cache") };
    expect((await run(world, ["model", "install", "--yes"], { env: offline })).status).toBe(0);
    expect((await run(world, ["model"])).stdout).toContain("ready");
  });

  it("replaces the file of an older version, which is not damage", async () => {
    const older = join(dirname(minilmFile(paths)), "model.int8");
    renameSync(minilmFile(paths), older);
    writeFileSync(older, "c-mem embedding model 1\n");
    expect((await run(world, ["model"])).stdout).toContain("converted by the first search");
    expect((await run(world, ["doctor"])).stdout).toMatch(/ok +meaning/);
    expect(loadMiniLm(paths).id).toBe("minilm-l6-v2-int8");
    expect(existsSync(older)).toBe(false);
    expect((await run(world, ["model"])).stdout).toContain("ready");
  });
});

describe("MiniLM", () => {
  it.each(KNOWN)("embeds $text", ({ text, tokens, vector }) => {
    const engine = loadEngine(minilmFile(paths));
    expect(engine.tokenize(text)).toEqual(tokens);
    expect(cosine(engine.forward([tokens])[0] ?? [], vector)).toBeGreaterThan(0.9994);
  });

  it("in 8 bits gives the vectors of the weights it was made from", () => {
    const tensors = openTensors(join(findMiniLm(paths) ?? "", "model", "model.fp16.safetensors"));
    const [engine, plain] = [loadEngine(minilmFile(paths)), plainModel(tensors)];
    const nearness = (text: string): number => {
      const tokens = engine.tokenize(text);
      return cosine(engine.forward([tokens])[0] ?? [], plain(tokens));
    };
    for (const text of TEXTS) expect(nearness(text), text).toBeGreaterThan(0.9994);
    for (const text of WORDS) expect(nearness(text), text).toBeGreaterThan(0.998);
    tensors.close();
  });

  it.each([
    [
      "The login test is flaky on Windows.",
      "Signing in sometimes fails under Windows in CI.",
      "The bread must rise overnight.",
    ],
    ["Why is the page so slow to load?", "Reduce the time until the site renders.", "Why is the licence Apache?"],
    ["The database is locked.", "SQLITE_BUSY: another connection holds the write lock.", "The door is locked."],
    [
      "Rename the column in the users table.",
      "ALTER TABLE users RENAME COLUMN name TO full_name",
      "Move the chair to the table.",
    ],
  ])("places %j nearer to %j than to %j", async (text, same, other) => {
    const [a = [], b = [], c = []] = await openLocal(paths).embed([text, same, other]);
    expect(cosine(a, b)).toBeGreaterThan(cosine(a, c));
  });

  it("is built again from the package when its file is missing or damaged", () => {
    rmSync(minilmFile(paths));
    expect(loadMiniLm(paths).id).toBe("minilm-l6-v2-int8");
    truncateSync(minilmFile(paths), 2_000);
    expect(loadMiniLm(paths).id).toBe("minilm-l6-v2-int8");
    expect(loadMiniLm(paths).id).toBe("minilm-l6-v2-int8");
  });

  it.runIf(process.platform === "linux")("uses less than 200 MB while it embeds, and nothing after", async () => {
    const embedder = await openSpawned(paths, { idleMs: 100 });
    const before = process.memoryUsage.rss();
    await embedAll(embedder);
    const status = readFileSync(`/proc/${embedder.pid}/status`, "utf8");
    const peak = Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024;
    expect(peak).toBeGreaterThan(20);
    expect(peak).toBeLessThan(200);
    expect((process.memoryUsage.rss() - before) / 1024 ** 2).toBeLessThan(30);
    await embedder.close();
  });
});

async function embedAll(embedder: Embedder): Promise<void> {
  await embedder.embed([...TEXTS, ...Array.from({ length: 20 }, () => "the worker writes ".repeat(200))]);
}
