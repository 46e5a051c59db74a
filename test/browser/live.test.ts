import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hook } from "../e2e/harness.ts";
import { writeTranscript } from "./transcripts.ts";
import { untilStable, type BrowserWorld, openWorld, problemsOf, screenshot } from "./world.ts";

let world: BrowserWorld;

beforeAll(async () => {
  world = await openWorld(({ claudeDir, project }) => {
    const start = Date.now() - 2 * 86_400_000;
    writeTranscript(claudeDir, { id: "past", cwd: project, start }, (writer) => {
      for (let turn = 1; turn <= 25; turn += 1) {
        writer.prompt(`Old request number ${turn}`);
        writer.use("Edit", { file_path: `${project}/a.ts`, old_string: "a", new_string: "b" }, "updated");
        writer.say(`Old answer number ${turn}: it works now.`);
      }
    });
  });
});
afterAll(() => world?.close());

interface Turn {
  session_id: string;
  prompt_id: string;
}

const sendPrompt = (turn: Turn, prompt: string) =>
  hook(world, "new", { ...turn, hook_event_name: "UserPromptSubmit", prompt });
const sendToolUse = (turn: Turn, id: string, more: object = {}) =>
  hook(world, "save", {
    ...turn,
    hook_event_name: "PostToolUse",
    tool_name: "Bash",
    tool_use_id: id,
    tool_input: { command: `echo ${id}` },
    tool_response: { stdout: id, stderr: "" },
    ...more,
  });
const endTurn = (turn: Turn, words: string) =>
  hook(world, "summary", { ...turn, hook_event_name: "Stop", last_assistant_message: words });

const card = (page: Page, words: string) => page.locator(".turn-card", { hasText: words });

describe("the viewer with live events", () => {
  it("shows the prompt, tool uses, end and observations of a turn while its hooks run", async () => {
    const page = await world.open("/");
    await page.waitForSelector(".turn-card");
    await page.waitForSelector(".live-live");
    const turn = { session_id: "live-1", prompt_id: "live-1-p1" };
    await sendPrompt(turn, "Please use tabs from now on, never spaces");
    await card(page, "never spaces").waitFor();
    expect(await card(page, "never spaces").locator(".outcome").textContent()).toContain("Running");
    await sendToolUse(turn, "use-1");
    await sendToolUse(turn, "use-2");
    await expect.poll(() => card(page, "never spaces").locator(".outcome").textContent()).toContain("2 tool uses");
    await screenshot(page, "now-live");
    await endTurn(turn, "Done. We decided to use tabs for indentation because the user asked for them.");
    await expect.poll(() => card(page, "never spaces").locator(".running").count()).toBe(0);
    await card(page, "never spaces").locator(".learned li").first().waitFor({ timeout: 20_000 });
    await screenshot(page, "now-light");
    expect(problemsOf(page)).toEqual([]);
  });

  it("shows a turn as interrupted if another prompt follows before it ends", async () => {
    const page = await world.open("/");
    await page.waitForSelector(".live-live");
    await sendPrompt({ session_id: "live-0", prompt_id: "live-0-p1" }, "First request, stopped with Esc");
    await sendPrompt({ session_id: "live-0", prompt_id: "live-0-p2" }, "Second request instead");
    // The session's title is its first prompt, so both cards contain it.
    const cardOfPrompt = (words: string) =>
      page.locator(".turn-card", { has: page.locator(".turn-prompt", { hasText: words }) });
    await cardOfPrompt("Second request instead").locator(".running").waitFor();
    await expect.poll(() => cardOfPrompt("stopped with Esc").locator(".running").count()).toBe(0);
    await screenshot(page, "now-superseded");
    await endTurn({ session_id: "live-0", prompt_id: "live-0-p2" }, "Done.");
  });

  it("holds new turns back while the user reads further down, and shows their number", async () => {
    const page = await world.open("/", { theme: "dark", height: 600 });
    await page.waitForSelector(".live-live");
    await card(page, "Old request number 20").waitFor();
    await card(page, "Old request number 20").evaluate((element) => element.scrollIntoView({ block: "center" }));
    const topOf = () => card(page, "Old request number 20").evaluate((element) => element.getBoundingClientRect().top);
    const before = await untilStable(page, topOf);
    await sendPrompt({ session_id: "live-2", prompt_id: "live-2-p1" }, "Something new in another session");
    await page.getByRole("button", { name: "1 new" }).waitFor();
    expect(await card(page, "Something new").count()).toBe(0);
    expect(await topOf()).toBe(before);
    await screenshot(page, "now-waiting-dark");
    await page.getByRole("button", { name: "1 new" }).click();
    await card(page, "Something new").waitFor();
    await expect.poll(() => page.evaluate(() => scrollY)).toBe(0);
  });

  it("shows that the worker is running", async () => {
    const page = await world.open("/");
    await page.waitForSelector(".status :text('Running')");
    await expect.poll(() => page.locator(".live-live").count()).toBe(1);
  });

  it("reconnects to a new worker, and shows a turn it missed while disconnected", async () => {
    const page = await world.open("/");
    await page.waitForSelector(".live-live");
    await world.stopWorker();
    await page.waitForSelector(".live-waiting");
    await sendPrompt({ session_id: "live-3", prompt_id: "live-3-p1" }, "Said while disconnected");
    await world.startWorker();
    await card(page, "Said while disconnected").waitFor({ timeout: 30_000 });
    await expect.poll(() => page.locator(".live-live").count()).toBe(1);
  });

  it("updates an open session page", async () => {
    const turn = { session_id: "live-4", prompt_id: "live-4-p1" };
    await sendPrompt(turn, "Begin here");
    const page = await world.open("/sessions/live-4");
    await page.waitForSelector(".prompt :text('Begin here')");
    await page.waitForSelector(".live-live");
    await sendToolUse(turn, "later-1");
    await page.waitForSelector(".tool :text('echo later-1')");
    await sendToolUse(turn, "inner-1", { agent_id: "sub1", agent_type: "Explore" });
    await page.waitForSelector(".subagent");
    expect(await page.locator(".tool :text('echo inner-1')").count()).toBe(0);
    await page.locator(".subagent .fold").click();
    await page.waitForSelector(".is-nested .tool :text('echo inner-1')");
    await screenshot(page, "session-subagent");
    expect(problemsOf(page)).toEqual([]);
  });
});
