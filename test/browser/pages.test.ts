import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { localDay } from "../../src/core/time.ts";
import { ROOT } from "../e2e/harness.ts";
import { writeSessions } from "./sessions.ts";
import { writeTranscript } from "./transcripts.ts";
import { accessibilityProblems, type BrowserWorld, openWorld, overflowPx, problemsOf, screenshot } from "./world.ts";

let world: BrowserWorld;

beforeAll(async () => {
  world = await openWorld((created) => {
    writeSessions(created);
    const other = { id: "elsewhere", cwd: join(created.home, "other"), start: Date.now() - 200_000_000 };
    writeTranscript(created.claudeDir, other, (writer) => {
      writer.prompt("Greet every visitor");
      writer.say("Every visitor is greeted.");
    });
  });
  writeCosts(world);
});
afterAll(() => world?.close());

/** Requests to a model on four days. */
function writeCosts({ home }: BrowserWorld): void {
  const db = new DatabaseSync(join(home, "c-mem.db"), { timeout: 5_000 });
  const insert = db.prepare(`INSERT INTO ledger (day, project_id, provider, model, purpose, request_hash, status,
      input_tokens, output_tokens, cache_read_tokens, cost_microusd, created_at)
    VALUES (?, 1, 'anthropic', ?, ?, 'h', 'spent', ?, ?, ?, ?, 1)`);
  for (const daysAgo of [0, 1, 2, 5]) {
    const day = localDay(Date.now() - daysAgo * 86_400_000);
    insert.run(day, "claude-haiku-5-5", "turns", 24_000, 1_800, 9_000, 3_300);
    insert.run(day, "claude-haiku-5-5", "session", 6_000, 900, 0, 1_050);
    insert.run(day, "claude-sonnet-5-5", "test", 200, 20, 0, 600);
  }
  db.close();
}

/** The pages: name, address, and a selector of an element that is shown when the page is loaded. */
const PAGES = [
  ["now", "/", ".turn-card"],
  ["search", "/search", ".empty"],
  ["results", "/search?q=zebracorn", ".result"],
  ["sessions", "/sessions", ".session-line"],
  ["session", "/sessions/made-up", ".virtual .prompt"],
  ["memory", "/memory", ".observation"],
  ["observation", "/memory/o1", ".story"],
  ["files", "/files", ".files li"],
  ["file", "/files?path=login.ts", ".timeline li"],
  ["efforts", "/efforts", ".efforts li, .empty"],
  ["insight", "/insight", ".figures"],
  ["context", "/context", ".injected, .context-preview .muted"],
  ["settings", "/settings", ".setting"],
  ["health", "/doctor", ".checks li"],
  ["nothing", "/search?q=qqqqzzzz", ".empty"],
  ["no-page", "/no/such/page", ".empty"],
] as const;

describe.each(PAGES)("%s", (name, path, selector) => {
  it.each(["light", "dark"] as const)("is accessible and logs no errors, %s", async (theme) => {
    const page = await world.open(path, { theme, reducedMotion: true });
    await page.waitForSelector(selector);
    await page.waitForTimeout(300);
    await screenshot(page, `${name}-${theme}`);
    expect(await accessibilityProblems(page)).toEqual([]);
    expect(problemsOf(page)).toEqual([]);
    expect(await page.locator("h1").count()).toBe(1);
  });

  it("fits a 320 px and a wide screen", async () => {
    const small = await world.open(path, { width: 320, height: 640 });
    await small.waitForSelector(selector);
    await small.waitForTimeout(200);
    await screenshot(small, `${name}-320`);
    expect(await overflowPx(small)).toBe(0);
    const wide = await world.open(path, { width: 2200, height: 1200 });
    await wide.waitForSelector(selector);
    expect(await overflowPx(wide)).toBe(0);
  });

  it("is shown again after a reload", async () => {
    const page = await world.open(path);
    await page.waitForSelector(selector);
    await page.reload();
    await page.waitForSelector(selector);
    expect(problemsOf(page)).toEqual([]);
  });
});

it("insight shows what writing the memory cost by day, model and kind", async () => {
  const page = await world.open("/insight");
  const table = (name: string) => page.getByRole("region", { name, exact: true });
  await table("By kind of request").waitFor();
  const cells = async (name: string) =>
    (await table(name).locator("tr").allInnerTexts()).map((row) => row.split("\t").map((cell) => cell.trim()));
  expect(await cells("By kind of request")).toEqual([
    ["By kind of request", "requests", "tokens in", "of them cached", "tokens out", "cost"],
    ["notes about turns", "4", "96,000", "36,000", "7,200", "$0.01"],
    ["session summaries", "4", "24,000", "0", "3,600", "$0.0042"],
    ["tests (doctor --try-model)", "4", "800", "0", "80", "$0.0024"],
  ]);
  expect((await cells("By model")).map(([name]) => name)).toEqual([
    "By model",
    "anthropic/claude-haiku-5-5",
    "anthropic/claude-sonnet-5-5",
  ]);
  expect(await cells("By day")).toHaveLength(5);
  for (const theme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
    await table("By project").scrollIntoViewIfNeeded();
    await screenshot(page, `insight-costs-${theme}`);
  }
});

describe("search", () => {
  const results = (page: Page) => page.locator(".result");

  it("shows results while typing, and ignores replies that arrive late", async () => {
    const page = await world.open("/sessions");
    await page.waitForSelector(".session-line");
    // Delays all replies except the one for the complete word.
    await page.route(/api\/search/, async (route) => {
      if (!route.request().url().includes("zebracorn")) await new Promise((done) => setTimeout(done, 1_500));
      await route.continue().catch(() => undefined);
    });
    await page.keyboard.press("/");
    await page.waitForSelector("#search-box:focus");
    await page.keyboard.type("login", { delay: 30 });
    await page.waitForTimeout(250);
    await page.keyboard.press("Control+a");
    await page.keyboard.type("zebracorn", { delay: 20 });
    await results(page).first().waitFor();
    await page.waitForTimeout(1_800);
    expect(await results(page).count()).toBe(1);
    expect(await page.locator(".result mark").first().textContent()).toContain("zebracorn");
    expect(new URL(page.url()).searchParams.get("q")).toBe("zebracorn");
    expect(await page.locator(".search-summary").textContent()).toMatch(
      /1 session, keyword match in talk, work, files/,
    );
    expect(await page.locator(".search-summary summary").textContent()).toContain("keyword search only");
  });

  it("works with the keyboard, and unfolds a result in the list", async () => {
    const page = await world.open("/search");
    await page.waitForSelector("#search-box:focus");
    await page.keyboard.type("zebracorn");
    await results(page).first().waitFor();
    await page.keyboard.press("ArrowDown");
    await expect.poll(() => page.evaluate(() => document.activeElement?.className)).toContain("result-head");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".preview .entry");
    await screenshot(page, "search-open");
    expect(await accessibilityProblems(page)).toEqual([]);
    const urlOfResult = page.url();
    await page.keyboard.press("Escape");
    await expect.poll(() => page.locator(".preview").count()).toBe(0);
    await page.keyboard.press("Escape");
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("search-box");
    await page.goto(urlOfResult);
    await page.waitForSelector(".preview .entry");
    await page.getByRole("link", { name: "Open in session" }).click();
    await page.waitForSelector(".is-marked");
    await page.goBack();
    await page.waitForSelector(".preview .entry");
  });

  it("has filters that are kept in the address", async () => {
    const page = await world.open("/search?q=zebracorn");
    await results(page).first().waitFor();
    await page.getByLabel("Kind").selectOption("tool");
    await expect.poll(() => page.locator(".snippet-kind").first().textContent()).toBe("Tool");
    await page.getByLabel("Agent", { exact: true }).selectOption("codex");
    await page.waitForSelector(".empty");
    expect(page.url()).toContain("agent=codex");
    await page.getByRole("button", { name: "Clear filters" }).click();
    await results(page).first().waitFor();
  });
});

it("insight shows the bytes recorded within the filters, and their growth", async () => {
  const page = await world.open("/insight");
  const recorded = async (): Promise<number> => {
    const text = (await page.locator("p", { hasText: "recorded in these" }).textContent()) ?? "";
    const [, number = "", unit = ""] = /([\d.]+) ([KM]?B) recorded in these/.exec(text) ?? [];
    return Number(number) * { B: 1, KB: 1024, MB: 1024 ** 2 }[unit as "B"];
  };
  await page.getByRole("img", { name: /Recorded so far: maximum [\d.]+ [KM]?B, on/ }).waitFor();
  const all = await recorded();
  await page.goto(`${world.origin}/insight?project=project`);
  await page.getByText("recorded in these").waitFor();
  const inProject = await recorded();
  expect(inProject).toBeGreaterThan(0);
  expect(inProject).toBeLessThan(all);
});

it("the API docs fit a 320 px screen", async () => {
  const page = await world.open("/api/docs", { width: 320, height: 640 });
  await page.waitForSelector("h2#capture");
  await screenshot(page, "api-docs-320");
  expect(await overflowPx(page)).toBe(0);
  expect(problemsOf(page)).toEqual([]);
  expect(await page.locator("body > p").first().innerHTML()).toContain("<code>{schema_version");
});

describe("the viewer", () => {
  it("has files of under 100 KB in total, compressed", () => {
    const folder = join(ROOT, "plugin", "dist", "viewer");
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const sizes = files.map((entry) => gzipSync(readFileSync(join(entry.parentPath, entry.name))).length);
    expect(sizes.length).toBeGreaterThan(10);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(100 * 1024);
  });

  it("keeps the selected theme after a reload", async () => {
    const page = await world.open("/sessions", { theme: "light" });
    const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
    const light = await background();
    await page.getByLabel("dark").check({ force: true });
    await expect.poll(background).not.toBe(light);
    await page.reload();
    await page.waitForSelector(".session-line");
    await expect.poll(background).not.toBe(light);
  });

  it("has a link that skips the navigation, and outlines the focused element", async () => {
    const page = await world.open("/sessions");
    await page.waitForSelector(".session-line");
    await page.keyboard.press("Tab");
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe("Skip to the page");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.evaluate(() => document.activeElement?.id)).toBe("main");
    await page.keyboard.press("Tab");
    const outline = () => page.evaluate(() => getComputedStyle(document.activeElement as Element).outlineStyle);
    await expect.poll(outline).toBe("solid");
  });

  it("has a menu on a small screen", async () => {
    const page = await world.open("/sessions", { width: 320, height: 640 });
    await page.getByRole("button", { name: "Menu" }).click();
    await screenshot(page, "menu-320");
    await page.getByRole("link", { name: "Search", exact: true }).click();
    await page.waitForSelector("#search-box");
    await expect.poll(() => page.getByRole("link", { name: "Sessions", exact: true }).isVisible()).toBe(false);
  });

  it("shows a browser that is not signed in how to sign in, and no data", async () => {
    const page = await world.openSignedOut("/sessions/made-up");
    await page.waitForSelector("text=c-mem open");
    await screenshot(page, "signed-out");
    expect(await page.textContent("body")).not.toContain("zebracorn");
    const late = await world.openSignedOut("/open?code=used-up");
    await late.waitForSelector("text=c-mem open");
    const again = await world.open("/open?code=used-up");
    await again.waitForSelector(".turn-card");
  });

  it("shows an error if the worker cannot be reached, and recovers with Try again", async () => {
    const page = await world.open("/sessions");
    await page.waitForSelector(".session-line");
    await page.route(/api\/sessions/, (route) => route.abort());
    await page.reload();
    await page.waitForSelector(".error-box :text('cannot be reached')");
    await screenshot(page, "unreachable");
    await page.unroute(/api\/sessions/);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.waitForSelector(".session-line");
    await expect.poll(() => page.locator(".error-box").count()).toBe(0);
  });
});
