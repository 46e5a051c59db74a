// npm start: what a first day with C-Mem looks like. Brings in the sessions this machine has; where there are none,
// plays a small example session through the real hook commands. Then shows what an agent would be told next.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "..");
const home = resolve(process.env["C_MEM_HOME"] || join(homedir(), ".c-mem"));

function cMem(args: string[], options: { input?: string; cwd?: string } = {}): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, "bin", "c-mem.cjs"), ...args], {
    cwd: options.cwd ?? root,
    input: options.input ?? "",
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(`c-mem ${args.join(" ")} ended with ${status}\n${stdout}${stderr}`);
  return stdout;
}

interface SyncReport {
  data: { read: number; unchanged: number };
}

interface StatusReport {
  data: { counts: { sessions: number; projects: number; prompts: number; tool_uses: number } };
}

console.log(`Data directory: ${home}`);
const sync = JSON.parse(cMem(["sync", "--json"])) as SyncReport;
let project: string;
if (sync.data.read + sync.data.unchanged > 0) {
  console.log(`Read ${sync.data.read} transcripts; ${sync.data.unchanged} were read before.\n`);
  project = newestProject();
} else {
  project = playExample();
  console.log("No sessions on this machine yet: played an example session through the hook commands.\n");
}
const status = JSON.parse(
  spawnSync(process.execPath, [join(root, "bin", "c-mem.cjs"), "status", "--json"], { encoding: "utf8" }).stdout,
) as StatusReport;
const { counts } = status.data;
const some = (number: number, noun: string) => `${number} ${noun}${number === 1 ? "" : "s"}`;
console.log(
  `Remembered: ${some(counts.sessions, "session")} in ${some(counts.projects, "project")}, ${some(counts.prompts, "prompt")}, ${some(counts.tool_uses, "tool use")}.`,
);
console.log(`\nWhat an agent is told when its next session in "${project}" starts:\n`);
console.log(cMem(["context", project]));
console.log(
  "To look around: node bin/c-mem.cjs open (a page in your browser), or node bin/c-mem.cjs (search as you type).",
);
console.log("To have your own sessions remembered: node bin/c-mem.cjs install (shows what it changes and asks first).");

function newestProject(): string {
  const report = JSON.parse(cMem(["projects", "--json"])) as { data: { results: { name: string }[] } };
  const newest = report.data.results[0]?.name;
  if (newest === undefined) throw new Error("The transcripts hold no prompt.");
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
    // The placeholder stands inside JSON strings: the path goes in as JSON, too.
    const { command, payload } = JSON.parse(line.replaceAll("{{cwd}}", JSON.stringify(cwd).slice(1, -1))) as {
      command: string;
      payload: object;
    };
    cMem([command], { input: JSON.stringify(payload), cwd });
  }
  return name;
}
