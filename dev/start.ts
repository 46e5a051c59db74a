// npm start: tries C-Mem from a clone, in a separate data directory. Imports the sessions on this machine or, if there
// are none, plays an example session through the real hook commands. Then shows what the next session would get.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const isOwnHome = !process.env["C_MEM_HOME"];
/** Not ~/.c-mem: trying a clone must not touch the data of an installed C-Mem. */
const home = resolve(process.env["C_MEM_HOME"] || join(homedir(), ".c-mem-dev"));
const env = { ...process.env, C_MEM_HOME: home };

function cMem(args: string[], { input = "", cwd = root, isReport = false } = {}): string {
  const argv = [join(root, "bin", "c-mem.cjs"), ...args];
  const { status, stdout, stderr } = spawnSync(process.execPath, argv, { cwd, input, encoding: "utf8", env });
  // `c-mem status` fails if no hooks are installed.
  if (status !== 0 && !isReport) throw new Error(`c-mem ${args.join(" ")} ended with ${status}\n${stdout}${stderr}`);
  return stdout;
}

interface SyncReport {
  data: { read: number; unchanged: number };
}

interface StatusReport {
  data: { counts: { sessions: number; projects: number; prompts: number; tool_uses: number } };
}

console.log(
  `Data directory: ${home}${isOwnHome ? " (for clones; an installed C-Mem uses ~/.c-mem, and C_MEM_HOME overrides both)" : ""}`,
);
const sync = JSON.parse(cMem(["sync", "--json"])) as SyncReport;
let project: string;
if (sync.data.read + sync.data.unchanged > 0) {
  console.log(`Read ${sync.data.read} transcripts; ${sync.data.unchanged} unchanged.\n`);
  project = newestProject();
} else {
  project = playExample();
  console.log("No sessions on this machine: played an example session through the hook commands.\n");
}
const { data: stored } = JSON.parse(cMem(["status", "--json"], { isReport: true })) as StatusReport;
const { counts } = stored;
const some = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;
console.log(
  `Stored: ${some(counts.sessions, "session")} in ${some(counts.projects, "project")}, ${some(counts.prompts, "prompt")}, ${some(counts.tool_uses, "tool use")}.`,
);
console.log(`\nWhat an agent gets when its next session in "${project}" starts:\n`);
console.log(cMem(["context", project]));
const cli = isOwnHome ? `C_MEM_HOME=${home} node bin/c-mem.cjs` : "node bin/c-mem.cjs";
console.log(`To look around: ${cli} open (a page in your browser), or ${cli} (search as you type).`);
console.log("To record your own sessions: node bin/c-mem.cjs install (shows what it changes and asks first).");

function newestProject(): string {
  const report = JSON.parse(cMem(["projects", "--json"])) as { data: { results: { name: string }[] } };
  const newest = report.data.results[0]?.name;
  if (newest === undefined) throw new Error("The transcripts contain no prompt.");
  return newest;
}

function playExample(): string {
  const name = "todo-app (example)";
  const cwd = join(home, "example", "todo-app");
  mkdirSync(cwd, { recursive: true, mode: 0o700 });
  writeFileSync(join(cwd, ".c-mem.json"), JSON.stringify({ project: name }));
  const lines = readFileSync(join(import.meta.dirname, "example", "session.jsonl"), "utf8")
    .trim()
    .split("\n");
  for (const line of lines) {
    // The placeholder is inside JSON strings, so the path is escaped as JSON.
    const { command, payload } = JSON.parse(line.replaceAll("{{cwd}}", JSON.stringify(cwd).slice(1, -1))) as {
      command: string;
      payload: object;
    };
    cMem([command], { input: JSON.stringify(payload), cwd });
  }
  return name;
}
