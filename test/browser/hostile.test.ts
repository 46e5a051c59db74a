// Every page must show hostile markup in a session as text.
import { join } from "node:path";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { writeHostileSession, HOSTILE_MARKUP, writeTranscript } from "./transcripts.ts";
import { type BrowserWorld, openWorld, overflowPx, problemsOf, screenshot } from "./world.ts";

let world: BrowserWorld;

const BRANCH = `<img/src=x/onerror=window.hacked='branch'>`;

beforeAll(async () => {
  world = await openWorld(({ claudeDir, project }) => {
    const start = Date.now() - 3_600_000;
    writeTranscript(claudeDir, { id: "hostile", cwd: project, start }, writeHostileSession);
    // Two sessions that continue each other, in a folder and on a branch with hostile names.
    const cwd = join(project, HOSTILE_MARKUP[1] ?? "");
    for (const [index, id] of ["first", "second"].entries())
      writeTranscript(claudeDir, { id, cwd, start: start + index * 1_200_000, branch: BRANCH }, writeHostileSession);
  });
});
afterAll(() => world?.close());

/** Elements and attributes that only hostile markup would create. */
const FORBIDDEN =
  "script:not([src]), iframe, img, form[action], style, base, math, [onerror], [onload], [href^='javascript:' i], [srcdoc]";

async function expectNoMarkup(page: Page): Promise<void> {
  expect(await page.evaluate(() => (window as { hacked?: string }).hacked)).toBeUndefined();
  expect(await page.locator(`body :is(${FORBIDDEN})`).count()).toBe(0);
  expect(await page.locator("h1").count()).toBe(1);
  expect(problemsOf(page)).toEqual([]);
}

it("shows hostile text as text in a session with everything unfolded", async () => {
  const page = await world.open("/sessions/hostile", { height: 4_000 });
  await page.waitForSelector(".virtual .prompt");
  for (let round = 0; round < 6; round += 1) {
    await page.evaluate(() => {
      const folded = ".fold[aria-expanded=false], .note-head[aria-expanded=false]";
      for (const fold of document.querySelectorAll<HTMLElement>(folded)) fold.click();
    });
    await page.waitForTimeout(300);
    await page.evaluate(() => scrollBy(0, 3_000));
    await page.waitForTimeout(200);
    await expectNoMarkup(page);
  }
  await page.evaluate(() => scrollTo(0, 0));
  await page.waitForTimeout(300);
  const text = (await page.locator(".virtual").textContent()) ?? "";
  for (const markup of HOSTILE_MARKUP.slice(0, 2)) expect(text).toContain(markup);
  await screenshot(page, "hostile-session");
});

it("shows hostile text as text on Sessions, Search and Now", async () => {
  const page = await world.open("/sessions");
  await page.waitForSelector(".session-line");
  await expectNoMarkup(page);
  await page.goto(`${world.origin}/search?q=window.hacked`);
  await page.locator(".result-head").first().click();
  await page.waitForSelector(".preview .entry");
  await expectNoMarkup(page);
  await page.goto(`${world.origin}/search?q=${encodeURIComponent(HOSTILE_MARKUP[1] ?? "")}`);
  await page.waitForSelector(".result, .empty");
  await expectNoMarkup(page);
  await page.goto(world.origin);
  await page.waitForSelector(".turn-card");
  await expectNoMarkup(page);
  expect(await page.locator(".turn-card .turn-prompt").first().textContent()).toContain("<");
  await screenshot(page, "hostile-now");
});

it("shows hostile text as text on Memory and in an observation", async () => {
  const page = await world.open("/memory?show=all");
  await page.waitForSelector(".observation");
  for (const head of await page.locator(".observation-head").all()) await head.click();
  await page.locator(".observation-body .inline").first().waitFor();
  await expectNoMarkup(page);
  expect(await page.locator(".observations").textContent()).toContain("<");
  await page.getByRole("button", { name: "Edit", exact: true }).first().click();
  await page.getByLabel("Title").waitFor();
  expect(await page.evaluate(() => (window as { hacked?: string }).hacked)).toBeUndefined();
  await page.getByRole("link", { name: "Details" }).first().click();
  await page.waitForSelector(".evidence-list li");
  await expectNoMarkup(page);
  await screenshot(page, "hostile-memory");
});

it("shows hostile text as text on Files, Efforts and Insight", async () => {
  const page = await world.open("/files");
  await page.waitForSelector(".files li");
  await expectNoMarkup(page);
  await page.locator(".files a").first().click();
  await page.waitForSelector(".timeline li");
  await expectNoMarkup(page);
  await page.goto(`${world.origin}/efforts`);
  await page.waitForSelector(".efforts li");
  await expectNoMarkup(page);
  expect(await page.locator(".efforts").textContent()).toContain(BRANCH);
  await page.locator(".effort").first().click();
  await page.waitForSelector(".timeline li");
  await expectNoMarkup(page);
  await screenshot(page, "hostile-effort");
  await page.goto(`${world.origin}/insight`);
  await page.waitForSelector(".bar-row");
  await expectNoMarkup(page);
  expect(await page.locator(".page").textContent()).toContain(HOSTILE_MARKUP[1]);
  await screenshot(page, "hostile-insight");
});

it("shows hostile text as text on Context, Settings and Health", async () => {
  const page = await world.open("/context");
  await page.waitForSelector(".injected pre");
  await expectNoMarkup(page);
  expect(await page.locator(".injected pre").textContent()).toContain("‹script>");
  for (const [path, selector] of [
    ["/settings", ".setting"],
    ["/doctor", ".checks li"],
  ] as const) {
    await page.goto(world.origin + path);
    await page.waitForSelector(selector);
    await expectNoMarkup(page);
  }
});

it("shows hostile text in an address as text", async () => {
  for (const path of [
    `/sessions/${encodeURIComponent(HOSTILE_MARKUP[0] ?? "")}`,
    `/search?q=${encodeURIComponent(HOSTILE_MARKUP[1] ?? "")}&project=${encodeURIComponent(HOSTILE_MARKUP[2] ?? "")}`,
    `/${encodeURIComponent(HOSTILE_MARKUP[1] ?? "")}`,
    `/sessions/hostile#${encodeURIComponent(HOSTILE_MARKUP[1] ?? "")}`,
    // Malformed percent-encoding.
    "/sessions/%zz",
    "/memory/%E0%A4%A",
    "/sessions/hostile#%zz",
  ]) {
    const page = await world.open(path);
    await page.waitForSelector(".empty, .error-box, .virtual .prompt");
    expect(await page.evaluate(() => (window as { hacked?: string }).hacked)).toBeUndefined();
    expect(await page.locator(`body :is(${FORBIDDEN})`).count()).toBe(0);
    expect(await overflowPx(page)).toBe(0);
  }
});
