// Starts a real worker with a real database, and a real browser that is signed in.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import axe from "axe-core";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { readServer } from "../../src/platform/state/server-record.ts";
import { createWorld, ROOT, run, type World } from "../e2e/harness.ts";

/** Debian's path of Chromium, unless the environment variable CHROMIUM has another one. */
const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"];
const START_MS = 60_000;

export interface BrowserWorld extends World {
  origin: string;
  /** Opens a page of the viewer, signed in. It is closed at the end of the test. */
  open(path: string, options?: OpenOptions): Promise<Page>;
  openSignedOut(path: string): Promise<Page>;
  stopWorker(): Promise<void>;
  /** Starts a worker on the same port as before. */
  startWorker(): Promise<void>;
  close(): Promise<void>;
}

export interface OpenOptions {
  width?: number;
  height?: number;
  theme?: "light" | "dark";
  reducedMotion?: boolean;
}

/** Creates a world: `writeTranscripts` writes transcripts, which `c-mem sync` then imports. */
export async function openWorld(writeTranscripts: (world: World) => void): Promise<BrowserWorld> {
  const world = createWorld();
  // Hooks look for transcripts here, even if there are none.
  mkdirSync(world.claudeDir, { recursive: true });
  writeTranscripts(world);
  for (const command of [
    ["sync", "--quiet"],
    ["rebuild", "--all"],
  ]) {
    const { status, stderr } = await run(world, command);
    // Status 4: there was nothing to import.
    if (status !== 0 && status !== 4) throw new Error(`${command.join(" ")}: ${stderr}`);
  }
  let worker = spawnWorker(world);
  const origin = await untilServing(world.home, worker);
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
  return {
    ...world,
    origin,
    open: (path, options = {}) => openPage(browser, { world, origin }, path, options),
    async openSignedOut(path) {
      const page = await (await newContext(browser)).newPage();
      await page.goto(origin + path);
      return page;
    },
    stopWorker: () => stop(worker),
    async startWorker() {
      worker = spawnWorker(world);
      await untilServing(world.home, worker);
    },
    async close() {
      await browser.close();
      await stop(worker);
    },
  };
}

function spawnWorker(world: World): ChildProcess {
  return spawn(process.execPath, [join(ROOT, "plugin", "dist", "worker.cjs")], {
    env: { ...world.env, C_MEM_WORKER: "1" },
    stdio: "ignore",
  });
}

async function stop(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null) return;
  const exited = new Promise((done) => worker.once("exit", done));
  worker.kill("SIGTERM");
  await exited;
}

/** Uncaught errors, console errors and requests to other servers, by page. */
const problems = new WeakMap<Page, string[]>();

export function problemsOf(page: Page): string[] {
  return problems.get(page) ?? [];
}

async function openPage(
  browser: Browser,
  { world, origin }: { world: World; origin: string },
  path: string,
  options: OpenOptions,
): Promise<Page> {
  const context = await newContext(browser, {
    viewport: { width: options.width ?? 1280, height: options.height ?? 800 },
    colorScheme: options.theme ?? "light",
    reducedMotion: options.reducedMotion === true ? "reduce" : "no-preference",
  });
  const page = await context.newPage();
  recordProblems(page, context, origin);
  await page.goto(await createLink(world.home, origin));
  await page.goto(origin + path);
  return page;
}

/** The context is closed at the end of the test, because a hundred open pages slow the browser down. */
async function newContext(browser: Browser, options?: BrowserContextOptions): Promise<BrowserContext> {
  const context = await browser.newContext(options);
  onTestFinished(() => context.close());
  return context;
}

function recordProblems(page: Page, context: BrowserContext, origin: string): void {
  const list: string[] = [];
  problems.set(page, list);
  page.on("pageerror", (error) => list.push(`error: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") list.push(message.text());
  });
  context.on("request", (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith("data:"))
      list.push(`requested ${request.url()}`);
  });
}

/** Creates a link that signs a browser in, as `c-mem open` does. */
async function createLink(home: string, origin: string): Promise<string> {
  const { token } = readServer(join(home, "server.json")) ?? { token: "" };
  const response = await fetch(`${origin}/api/links`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: "{}",
  });
  const { data } = (await response.json()) as { data: { url: string } };
  return data.url;
}

async function untilServing(home: string, worker: ChildProcess): Promise<string> {
  const until = Date.now() + START_MS;
  while (Date.now() < until) {
    const record = readServer(join(home, "server.json"));
    if (record?.pid === worker.pid && record?.port) return `http://127.0.0.1:${record.port}`;
    if (worker.exitCode !== null) throw new Error(`the worker exited with ${worker.exitCode}`);
    await new Promise((done) => setTimeout(done, 50));
  }
  throw new Error("the worker did not start its server");
}

const ARTIFACTS = resolve(ROOT, "test-artifacts");

/** Saves a screenshot in test-artifacts. */
export async function screenshot(page: Page, name: string): Promise<void> {
  mkdirSync(ARTIFACTS, { recursive: true });
  await page.screenshot({ path: join(ARTIFACTS, `${name}.png`) });
}

/** By how many pixels the page is wider than the window. */
export async function overflowPx(page: Page): Promise<number> {
  return await page.evaluate(() => Math.max(0, document.documentElement.scrollWidth - innerWidth));
}

/** Reads a value every 200 ms until it no longer changes, and returns it. */
export async function untilStable(page: Page, read: () => Promise<number>): Promise<number> {
  for (let before = await read(); ;) {
    await page.waitForTimeout(200);
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
    const now = await read();
    if (now === before) return now;
    before = now;
  }
}

/** Serious accessibility problems found by axe. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  return await page.evaluate(async () => {
    const { violations } = await (window as unknown as { axe: typeof axe }).axe.run();
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 160)} ${nodes[0]?.failureSummary?.slice(0, 300)}`);
  });
}
