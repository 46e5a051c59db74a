// Measures C-Mem's page: its first paint in a real browser, against an empty page, and its download size.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type BrowserContext, chromium } from "playwright-core";
import { median } from "./measure.ts";

const CHROMIUM = process.env["CHROMIUM"] ?? "/usr/bin/chromium";
const ARGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"];
const ROUNDS = 5;
const PATHS = ["/", "/search", "/sessions", "/memory"];

export async function benchPage(
  server: { port: number; token: string },
  emptyPort: number,
  dist: string,
): Promise<void> {
  console.log(
    `  the page, all of it gzipped      ${(gzippedBytes(join(dist, "viewer")) / 1024).toFixed(1)} KB   target: under 120 KB`,
  );
  if (!existsSync(CHROMIUM)) {
    console.log("  its first paint: not measured, no Chromium found (set CHROMIUM to its path)");
    return;
  }
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ARGS });
  try {
    const context = await browser.newContext();
    const page = `http://127.0.0.1:${server.port}`;
    await (await context.newPage()).goto(await link(page, server.token));
    const empty = await paints(context, [`http://127.0.0.1:${emptyPort}/page`]);
    console.log(`  first paint of an empty page     1.00  ${empty[0]?.toFixed(0)} ms`);
    const found = await paints(
      context,
      PATHS.map((path) => page + path),
    );
    for (const [index, path] of PATHS.entries()) {
      const ms = found[index] ?? NaN;
      console.log(`  first paint of ${path.padEnd(17)} ${(ms / (empty[0] ?? NaN)).toFixed(2)}  ${ms.toFixed(0)} ms`);
    }
  } finally {
    await browser.close();
  }
}

/** The median time to the first paint of each address. The addresses take turns. */
async function paints(context: BrowserContext, addresses: readonly string[]): Promise<number[]> {
  const all = addresses.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, address] of addresses.entries()) {
      const tab = await context.newPage();
      await tab.goto(address, { waitUntil: "load" });
      const read = () => performance.getEntriesByName("first-contentful-paint")[0]?.startTime;
      const handle = await tab.waitForFunction(read, undefined, { timeout: 10_000 });
      all[index]?.push(Number(await handle.jsonValue()));
      await tab.close();
    }
  }
  return all.map(median);
}

async function link(page: string, token: string): Promise<string> {
  const headers = { Authorization: `Bearer ${token}` };
  const response = await fetch(`${page}/api/links`, { method: "POST", headers });
  return ((await response.json()) as { data: { url: string } }).data.url;
}

function gzippedBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + gzipSync(readFileSync(join(entry.parentPath, entry.name))).length, 0);
}
