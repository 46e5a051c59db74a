// The page of a file's lines with the turns that wrote them, and the page of a commit.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import { afterAll, beforeAll, expect, it } from "vitest";
import { writeTranscript } from "./transcripts.ts";
import { type BrowserWorld, openWorld, overflowPx, problemsOf, screenshot } from "./world.ts";

const STORE = `export function saveTodos(todos) {
  localStorage.setItem("todos", JSON.stringify(todos));
}
`;
const BY_HAND = "export const version = 3;\n";
/** Recorded text is shown, never run. */
const HOSTILE =
  "  <img src=x onerror=alert(1)> stays a comment, even if the line is long enough to be scrolled sideways on small screens;\n";

let world: BrowserWorld;
/** A commit without a session. */
let byHand = "";

beforeAll(async () => {
  world = await openWorld(({ claudeDir, project }) => {
    const git = (...args: string[]): void => {
      const identity = ["-c", "user.name=Anna", "-c", "user.email=anna@example.org"];
      execFileSync("git", [...identity, ...args], { cwd: project, stdio: "ignore" });
    };
    git("init", "-b", "main");
    writeFileSync(join(project, "empty.txt"), "");
    git("add", "-A");
    git("commit", "-m", "Begin by hand");
    byHand = execFileSync("git", ["rev-parse", "HEAD"], { cwd: project, encoding: "utf8" }).trim();
    mkdirSync(join(project, "src"));
    const path = join(project, "src", "store.js");
    const session = { id: "writes-store", cwd: project, start: Date.now() - 600_000 };
    writeTranscript(claudeDir, session, (writer) => {
      writer.prompt("Store the todos in the browser");
      writer.use("Write", { file_path: path, content: `${STORE}${HOSTILE}` }, "File created successfully");
      writer.say("The todos are kept in the browser's storage.");
    });
    writeFileSync(path, `${STORE}${HOSTILE}${BY_HAND}`);
    git("add", "-A");
    git("commit", "-m", "Keep todos between visits (#7)");
  });
});
afterAll(() => world?.close());

it("a file shows for each range of lines the session or the author", async () => {
  const page = await world.open("/files?path=src/store.js");
  await page.getByRole("link", { name: "Why each line" }).click();
  await page.waitForSelector(".blame-range");
  const ranges = await page.locator(".blame-range").allInnerTexts();
  expect(ranges).toHaveLength(2);
  expect(ranges[0]).toContain("Store the todos in the browser");
  expect(ranges[0]).toContain("saveTodos");
  expect(ranges[0]).toContain("<img src=x");
  expect(ranges[1]).toContain("Anna, no recorded session");
  expect(ranges[1]).toContain("version = 3");
  await page.evaluate(axe.source);
  expect(
    await page.evaluate(async () =>
      (await (window as unknown as { axe: typeof axe }).axe.run()).violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id }) => id),
    ),
  ).toEqual([]);
  await screenshot(page, "lines");
  expect(problemsOf(page)).toEqual([]);
});

it("a commit shows the sessions behind it, and leads to them", async () => {
  const page = await world.open("/files?path=src/store.js&view=lines");
  await page.locator(".blame-why a code").first().click();
  await page.waitForSelector(".timeline li");
  expect(await page.locator("main").innerText()).toMatch(
    /Keep todos between visits \(#7\)[\s\S]*Anna[\s\S]*by lines in common/,
  );
  await screenshot(page, "commit");
  await page.locator(".timeline a").first().click();
  await page.waitForSelector(".virtual .prompt");
  expect(page.url()).toContain("/sessions/writes-store");
  expect(problemsOf(page)).toEqual([]);
});

it("both fit a small screen, and a commit that does not exist says so", async () => {
  const small = await world.open("/files?path=src/store.js&view=lines", { width: 320, height: 640 });
  await small.waitForSelector(".blame-range");
  await screenshot(small, "lines-320");
  expect(await overflowPx(small)).toBe(0);
  const none = await world.open("/files?commit=1234567890123456789012345678901234567890");
  await none.getByText("No project has this commit").waitFor();
  expect(problemsOf(none).filter((problem) => !/404|400/.test(problem))).toEqual([]);
});

it("a commit needs no project, and a file without lines says why", async () => {
  const commit = await world.open(`/files?commit=${byHand}`);
  await commit.getByText("Begin by hand").waitFor();
  await commit.getByText("No recorded session.").waitFor();
  expect(problemsOf(commit)).toEqual([]);
  const empty = await world.open("/files?path=empty.txt&view=lines&project=project");
  await empty.getByText("The file is empty.").waitFor();
  const outside = await world.open("/files?path=/etc/passwd&view=lines");
  await outside.getByText("/etc/passwd is not in a project with sessions.").waitFor();
});
