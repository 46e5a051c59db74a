import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Page } from "playwright-core";
import { connect } from "../e2e/mcp-client.ts";
import { writeLongSession, writeTranscript } from "./transcripts.ts";
import { untilStable, type BrowserWorld, openWorld, overflowPx, problemsOf, screenshot } from "./world.ts";

const LINES = 20_000;
const LONG = "a-very-long-session";
const HANDED_OVER = "a-handed-over-session";
/** Usually the session opens in under a second. On a busy machine it may take 5 times as long as a short page. */
const MAX_OPEN_MS = 5_000;
const MAX_OPEN_RATIO = 5;

let world: BrowserWorld;

beforeAll(async () => {
  world = await openWorld(({ claudeDir, project }) => {
    const start = Date.now() - 3 * 86_400_000;
    writeTranscript(claudeDir, { id: LONG, cwd: project, start }, (writer) => writeLongSession(writer, LINES));
    writeTranscript(claudeDir, { id: HANDED_OVER, cwd: project, start }, (writer) => {
      writer.prompt("Retry the upload if it fails");
      writer.use("Bash", { command: "npm test" }, "12 passed");
      writer.say("The upload is retried five times.");
    });
  });
});
afterAll(() => world?.close());

const outline = async (page: Page): Promise<unknown[][]> =>
  await page.evaluate(async (id) => {
    const response = await fetch(`/api/sessions/${id}/outline`);
    return ((await response.json()) as { data: { results: unknown[][] } }).data.results;
  }, LONG);

const topOf = (page: Page, selector: string): Promise<number> =>
  page.locator(selector).evaluate((element) => element.getBoundingClientRect().top);

it("the summary shows who wrote it, and the handover first", async () => {
  const page = await world.open(`/sessions/${HANDED_OVER}`);
  const summary = page.locator(".session-head .summary");
  await expect.poll(() => summary.innerText()).toContain("Written by C-Mem, without a model");
  const { call } = await connect(world);
  const given = {
    session: HANDED_OVER,
    title: "Uploads are retried",
    subtitle: "five times, with a pause",
    handover: "src/upload.ts retries; npm test passes\nNext: <b>the same</b> for downloads",
    open: "Retry downloads, too",
  };
  expect((await call("handover", given)).isError).toBe(false);
  await page.reload();
  await expect.poll(() => page.locator("h1").innerText()).toBe(given.title);
  await expect.poll(() => summary.locator(".handover li").allInnerTexts()).toEqual(given.handover.split("\n"));
  expect(await summary.innerText()).toMatch(
    /Written by the session's agent, [\s\S]*up to turn 1[\s\S]*1 other version/,
  );
  await screenshot(page, "session-handover");
  expect(await overflowPx(page)).toBe(0);
  expect(problemsOf(page)).toEqual([]);
});

describe("a session of 20,000 lines", () => {
  it("opens fast and renders only a few rows", async () => {
    const page = await world.open("/sessions");
    const openMs = async (path: string, selector: string): Promise<number> => {
      const start = Date.now();
      await page.goto(world.origin + path);
      await page.waitForSelector(selector);
      return Date.now() - start;
    };
    const short = await openMs("/sessions", ".session-line");
    const long = await openMs(`/sessions/${LONG}`, ".virtual .prompt");
    expect(long).toBeLessThan(Math.max(MAX_OPEN_MS, MAX_OPEN_RATIO * short));
    expect((await outline(page)).length).toBeGreaterThan(LINES * 0.6);
    expect(await page.locator(".virtual-row").count()).toBeLessThan(150);
    await screenshot(page, "session-light");
    expect(problemsOf(page)).toEqual([]);
  });

  it("scrolls to the item of a link, also after a reload and when going back", async () => {
    const page = await world.open("/sessions");
    const entries = await outline(page);
    const [middle] = entries.slice(6_000).find(([, kind]) => kind === "tool") ?? [];
    const [late] = entries.slice(9_000).find(([, kind]) => kind === "prompt") ?? [];
    await page.goto(`${world.origin}/sessions/${LONG}#${String(middle)}`);
    await page.waitForSelector(".is-marked .tool");
    const top = await untilStable(page, () => topOf(page, ".is-marked"));
    expect(top).toBeGreaterThan(40);
    expect(top).toBeLessThan(200);
    await page.reload();
    await page.waitForSelector(".is-marked .tool");
    await expect.poll(() => topOf(page, ".is-marked")).toBeLessThan(200);
    await page.evaluate((id) => {
      const link = document.createElement("a");
      link.href = `#${id}`;
      document.body.append(link);
      link.click();
    }, String(late));
    await page.waitForSelector(".is-marked .prompt");
    await page.goBack();
    await page.waitForSelector(".is-marked .tool");
    await expect.poll(async () => Math.abs((await topOf(page, ".is-marked")) - top)).toBeLessThan(4);
  });

  it("keeps the row being read in place while rows above it are measured", async () => {
    const page = await world.open("/sessions");
    const [middle] = (await outline(page)).slice(8_000).find(([, kind]) => kind === "prompt") ?? [];
    await page.goto(`${world.origin}/sessions/${LONG}#${String(middle)}`);
    await page.waitForSelector(".is-marked .prompt");
    await page.mouse.move(600, 400);
    await page.mouse.wheel(0, -1);
    await page.waitForTimeout(1_000);
    const maxDrift = await page.evaluate(async () => {
      let drift = 0;
      for (let step = 0; step < 40; step += 1) {
        const rows = [...document.querySelectorAll<HTMLElement>(".virtual-row")];
        const row = rows.find((each) => each.getBoundingClientRect().top > 200);
        const before = row?.getBoundingClientRect().top ?? 0;
        scrollBy(0, -120);
        await new Promise((done) => setTimeout(done, 60));
        // The list corrects the position within a frame, which a slow machine may not have drawn yet.
        await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
        if (row?.isConnected === true)
          drift = Math.max(drift, Math.abs(row.getBoundingClientRect().top - before - 120));
      }
      return drift;
    });
    expect(maxDrift).toBeLessThan(3);
  });

  it("finds words anywhere in the session and scrolls to them", async () => {
    const page = await world.open(`/sessions/${LONG}`);
    await page.waitForSelector(".virtual .prompt");
    await page.keyboard.press("Control+f");
    await page.keyboard.type("needle-300-end");
    await expect.poll(() => page.locator(".find-count").textContent()).toBe("1");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".is-marked :text('needle-300-end')");
    await screenshot(page, "session-find");
  });

  it("shows the input, output and diff of an unfolded tool use", async () => {
    const page = await world.open(`/sessions/${LONG}`);
    await page.locator(".tool-line", { hasText: "Edit" }).first().click();
    await page.waitForSelector(".diff .line.removed");
    expect(await page.locator(".diff .line.added").first().textContent()).toContain("const part = 2;");
    await page.locator(".tool-line", { hasText: "Bash" }).first().click();
    await page.waitForSelector(".tool-body figcaption:text('Output')");
    await page.locator(".fold.thinking").first().click();
    await page.waitForSelector(".thoughts:text('What next?')");
    await screenshot(page, "session-unfolded");
  });

  it("replays the session from any position", async () => {
    const page = await world.open(`/sessions/${LONG}`, { theme: "dark" });
    await page.waitForSelector(".virtual .prompt");
    await page.getByRole("button", { name: "Replay" }).click();
    await page.waitForTimeout(1_500);
    const early = await page.locator(".virtual-row").last().getAttribute("aria-setsize");
    expect(Number(early)).toBeLessThan(100);
    await page.getByRole("button", { name: "Pause" }).click();
    await page.getByLabel("Position in the session").fill(String(1_000_000));
    await expect
      .poll(async () => Number(await page.locator(".virtual-row").last().getAttribute("aria-setsize")))
      .toBeGreaterThan(Number(early));
    await page.waitForTimeout(400);
    await screenshot(page, "session-replay-dark");
    await page.getByRole("button", { name: "End the replay" }).click();
    await expect
      .poll(async () => Number(await page.locator(".virtual-row").first().getAttribute("aria-setsize")))
      .toBeGreaterThan(10_000);
    expect(problemsOf(page)).toEqual([]);
  });

  it("fits a small screen", async () => {
    const page = await world.open(`/sessions/${LONG}`, { width: 320, height: 640 });
    await page.waitForSelector(".virtual .prompt");
    await page.locator(".tool-line").first().click();
    await page.waitForSelector(".tool-body figure");
    expect(await overflowPx(page)).toBe(0);
    await screenshot(page, "session-320");
  });
});
