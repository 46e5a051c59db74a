// Changes that a user makes in the viewer.
import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { data, run } from "../e2e/harness.ts";
import { writeSessions } from "./sessions.ts";
import { accessibilityProblems, type BrowserWorld, openWorld, problemsOf, screenshot } from "./world.ts";

let world: BrowserWorld;

beforeAll(async () => {
  world = await openWorld(writeSessions);
});
afterAll(() => world?.close());

const press = (within: Page | Locator, name: string) => within.getByRole("button", { name, exact: true }).click();

const line = (page: Page, title: string) => page.locator(".observation", { hasText: title });

async function addObservation(page: Page, text: string): Promise<void> {
  await page.goto(`${world.origin}/memory`);
  await press(page, "Add observation");
  await page.getByLabel("What should C-Mem remember?").fill(text);
  await press(page, "Save");
  await line(page, text).waitFor();
}

async function unfold(page: Page, title: string): Promise<void> {
  await line(page, title).locator(".observation-head").first().click();
  await line(page, title).getByRole("group", { name: "Actions" }).waitFor();
}

async function observationTitles(...flags: string[]): Promise<string[]> {
  const known = await data(world, ["observations", "--all", "-n", "500", ...flags]);
  return ((known["results"] ?? []) as { title: string }[]).map(({ title }) => title);
}

describe("an observation", () => {
  it("can be added, pinned and edited, and the commands show the changes", async () => {
    const page = await world.open("/memory");
    await addObservation(page, "Quokkas are fed at noon");
    await unfold(page, "Quokkas are fed at noon");
    await press(line(page, "Quokkas are fed at noon"), "Pin");
    await line(page, "Quokkas are fed at noon").getByText("pinned").waitFor();
    expect(await observationTitles("--pinned")).toContain("Quokkas are fed at noon");
    await press(line(page, "Quokkas are fed at noon"), "Edit");
    await page.getByLabel("Title").fill("Quokkas are fed at one");
    await press(page, "Save");
    await line(page, "Quokkas are fed at one").waitFor();
    await screenshot(page, "memory-edited");
    await page.reload();
    await line(page, "Quokkas are fed at one").waitFor();
    expect(problemsOf(page)).toEqual([]);
    // If the worker rejects an edit, the form shows the reason.
    await unfold(page, "Quokkas are fed at one");
    await press(line(page, "Quokkas are fed at one"), "Edit");
    await page.getByLabel("Text").fill(" ");
    await press(page, "Save");
    await page.locator(".error-box", { hasText: "needs a title and a text" }).waitFor();
  });

  it("can be replaced, and is current again after the user undoes it", async () => {
    const page = await world.open("/memory");
    await addObservation(page, "Wombats dig on Mondays");
    await unfold(page, "Wombats dig on Mondays");
    await press(line(page, "Wombats dig on Mondays"), "Replace");
    await page.getByLabel("Which observation replaces it?", { exact: true }).fill("wombats");
    await page.getByText("No other observation matches.").waitFor();
    await addObservation(page, "Wombats dig on Fridays");
    await unfold(page, "Wombats dig on Mondays");
    await press(line(page, "Wombats dig on Mondays"), "Replace");
    await page
      .locator(".candidates")
      .getByRole("button", { name: /Wombats dig on Fridays/ })
      .click();
    await expect.poll(() => observationTitles()).not.toContain("Wombats dig on Mondays");
    await page.goto(`${world.origin}/memory?show=all`);
    await line(page, "Wombats dig on Mondays").getByText("replaced", { exact: true }).waitFor();
    await unfold(page, "Wombats dig on Mondays");
    await press(line(page, "Wombats dig on Mondays"), "Undo replacement");
    await expect.poll(() => observationTitles()).toContain("Wombats dig on Mondays");
  });

  it("is forgotten, unless the user presses Undo in time", async () => {
    const page = await world.open("/memory");
    await addObservation(page, "Echidnas sleep late");
    await unfold(page, "Echidnas sleep late");
    await press(line(page, "Echidnas sleep late"), "Forget");
    await page.locator(".toast .button:focus", { hasText: "Undo" }).waitFor();
    await page.keyboard.press("Enter");
    await line(page, "Echidnas sleep late").waitFor();
    await page.waitForTimeout(9_000);
    expect(await observationTitles()).toContain("Echidnas sleep late");
    await page.reload();
    await unfold(page, "Echidnas sleep late");
    await press(line(page, "Echidnas sleep late"), "Forget");
    await line(page, "Echidnas sleep late").waitFor({ state: "detached" });
    await expect
      .poll(() => observationTitles(), { timeout: 20_000, interval: 1_000 })
      .not.toContain("Echidnas sleep late");
  });
});

it("shows a message if all observations of a list were forgotten", async () => {
  const page = await world.open("/memory");
  await addObservation(page, "Platypuses wade");
  await page.goto(`${world.origin}/memory?q=Platypuses`);
  await unfold(page, "Platypuses wade");
  await press(line(page, "Platypuses wade"), "Forget");
  await page.getByText("Nothing left here").waitFor();
  expect(problemsOf(page)).toEqual([]);
});

it("shows an observation again, with a message, if the worker could not forget it", async () => {
  const page = await world.open("/memory");
  await addObservation(page, "Bandicoots stay");
  await page.route(/api\/forget\/\w+/, (route) =>
    route.fulfill({ json: { data: { state: "failed", receipt: null } } }),
  );
  await unfold(page, "Bandicoots stay");
  await press(line(page, "Bandicoots stay"), "Forget");
  await line(page, "Bandicoots stay").waitFor({ state: "detached" });
  await page.locator(".toast", { hasText: "Could not forget" }).waitFor();
  await expect.poll(() => line(page, "Bandicoots stay").count()).toBe(1);
});

it("stays on the observation's page if the request to forget it fails", async () => {
  const page = await world.open("/memory/o1");
  await page.route(/api\/forget/, (route) => route.abort());
  await press(page, "Forget");
  await page.locator(".toast", { hasText: "cannot be reached" }).waitFor();
  expect(new URL(page.url()).pathname).toBe("/memory/o1");
  expect(await page.getByRole("link", { name: "Details" }).count()).toBe(0);
});

describe("settings", () => {
  it("are a list without a frame, whose rows begin where the headings do", async () => {
    const page = await world.open("/settings");
    await page.waitForSelector(".setting");
    const leftOf = async (selector: string): Promise<number> =>
      (await page.locator(selector).first().boundingBox())?.x ?? Number.NaN;
    expect(await leftOf("ul.lines > li")).toBe(await leftOf("h2"));
  });

  it("are saved and reset to their defaults", async () => {
    const page = await world.open("/settings");
    const setting = page.locator(".setting", { hasText: "contextObservations" });
    await page.locator("#contextObservations").fill("7");
    await page.locator("#contextObservations").press("Enter");
    await setting.getByText("changed").waitFor();
    const { stdout } = await run(world, ["config", "get", "contextObservations"]);
    expect(stdout).toContain("7");
    await setting.getByRole("button", { name: /Default/ }).click();
    await setting.getByText("changed").waitFor({ state: "detached" });
  });

  it("are rejected with the reason if they are invalid", async () => {
    const page = await world.open("/settings");
    await page.locator("#contextObservations").fill("-3");
    await page.locator("#contextObservations").press("Enter");
    await page.locator(".setting-error").waitFor();
    await screenshot(page, "settings-rejected");
    await page.locator("#contextObservations").fill("");
    await page.locator("#contextObservations").press("Enter");
    await page.locator(".setting-error", { hasText: 'Invalid value ""' }).waitFor();
    const { stdout } = await run(world, ["config", "get", "contextObservations"]);
    expect(stdout).not.toContain("-3");
  });
});

describe("the form for who writes the memory", () => {
  const form = (page: Page) => page.getByRole("form", { name: "Who writes the memory" });
  const provider = async () => (await run(world, ["config", "get", "provider"])).stdout.trim();

  it("says what is sent where before anything is saved, and saves all fields at once", async () => {
    const page = await world.open("/settings");
    await form(page).getByText("Nothing is sent to a model.").waitFor();
    await form(page).getByRole("combobox").selectOption("openai");
    await form(page)
      .getByText(/OPENAI_API_KEY is not set/)
      .waitFor();
    await form(page).getByLabel("Address (URL)").fill("http://127.0.0.1:9/v1");
    await form(page).getByLabel("Model", { exact: true }).fill("llama3.2");
    await form(page).getByLabel("Tokens per day", { exact: true }).fill("2000");
    await form(page)
      .getByText(/are sent to llama3\.2 at http:\/\/127\.0\.0\.1:9\/v1/)
      .waitFor();
    await form(page)
      .getByText(/Daily limits: 2,000 tokens/)
      .waitFor();
    expect(await provider()).toBe('"none"');
    for (const theme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: "reduce" });
      await form(page).getByRole("button", { name: "Save" }).scrollIntoViewIfNeeded();
      await screenshot(page, `settings-writer-${theme}`);
      expect(await accessibilityProblems(page)).toEqual([]);
    }
    await press(form(page), "Save");
    await form(page).getByRole("button", { name: "Save" }).waitFor({ state: "detached" });
    expect(await data(world, ["config"])).toMatchObject({
      results: expect.arrayContaining([
        expect.objectContaining({ key: "provider", value: "openai" }),
        expect.objectContaining({ key: "baseUrl", value: "http://127.0.0.1:9/v1" }),
        expect.objectContaining({ key: "model", value: "llama3.2" }),
        expect.objectContaining({ key: "tokensPerDay", value: 2_000 }),
      ]),
    });
    // Another provider does not get this one's server and model.
    await form(page).getByRole("combobox").selectOption("anthropic");
    await form(page)
      .getByText(/are sent to claude-haiku-5-5 at https:\/\/api\.anthropic\.com/)
      .waitFor();
    await press(form(page), "Undo");
    await form(page)
      .getByText(/are sent to llama3\.2/)
      .waitFor();
    await form(page).getByRole("combobox").selectOption("none");
    await form(page).getByText("Nothing is sent to a model.").waitFor();
    await press(form(page), "Save");
    await expect.poll(provider).toBe('"none"');
    expect(problemsOf(page)).toEqual([]);
  });

  it("shows why a value cannot be saved, and does not save it", async () => {
    const page = await world.open("/settings");
    await form(page).getByRole("combobox").selectOption("openai");
    await form(page).getByLabel("Address (URL)").fill("http://me:secret@127.0.0.1/v1");
    await form(page)
      .getByText(/Invalid value .* for baseUrl/)
      .waitFor();
    expect(await form(page).getByRole("button", { name: "Save" }).isDisabled()).toBe(true);
    expect(await provider()).toBe('"none"');
  });
});

it("previews context settings before they are saved", async () => {
  await run(world, ["config", "set", "contextObservations", "50"]);
  const page = await world.open("/context?project=" + encodeURIComponent("project"));
  await page.locator(".injected pre").waitFor();
  const whole = (await page.locator(".injected pre").textContent()) ?? "";
  await page.getByRole("slider", { name: /Observations in the index/ }).fill("0");
  await expect
    .poll(async () => ((await page.locator(".injected pre").textContent()) ?? "").length)
    .toBeLessThan(whole.length);
  await screenshot(page, "context-unsaved");
  await press(page, "Undo");
  await expect.poll(() => page.locator(".injected pre").textContent()).toBe(whole);
});

it("previews an empty list of types, which means all types", async () => {
  const page = await world.open("/context?project=" + encodeURIComponent("project"));
  // Compares only ids: texts such as "3 min ago" change.
  const injected = async (): Promise<string[]> =>
    ((await page.locator(".injected pre").textContent()) ?? "").match(/#o\d+/g) ?? [];
  await page.locator(".injected pre").waitFor();
  const all = await injected();
  await run(world, ["config", "set", "contextTypes", "refactor"]);
  await page.reload();
  await page.locator(".injected pre").waitFor();
  expect((await injected()).length).toBeLessThan(all.length);
  await page.getByLabel("refactor", { exact: true }).uncheck();
  await expect.poll(injected).toEqual(all);
  await press(page, "Save");
  await page.getByRole("button", { name: "Save", exact: true }).waitFor({ state: "detached" });
  await expect.poll(injected).toEqual(all);
});
