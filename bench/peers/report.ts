// Renders docs/benchmarks.md from the results of one run.
import { arch, availableParallelism, loadavg, platform, release, totalmem } from "node:os";
import type { Machine, Report, Row } from "./results.ts";
import { HOOKS, INSTALL, isFailure, LOCOMO, markdownTable, OTHER, SESSIONS } from "./table.ts";

const BUSY_LOAD = 0.5;
const WIDTH = 118;

/** `node`: the version that runs the tools. */
export function machineOf(node: string): Machine {
  const cores = availableParallelism();
  return {
    cores,
    memoryGb: Math.round(totalmem() / 1e9),
    system: `${platform()} ${arch()} ${release().split(/[.-]/).slice(0, 2).join(".")}`,
    node,
    load: (loadavg()[0] ?? 0) / cores,
  };
}

export function renderDoc({ machine, date, rounds, rows }: Report): string {
  const { cores, memoryGb, system, node, load } = machine;
  const measured = (key: "hooks" | "search" | "locomo"): Row[] => rows.filter((row) => row[key] !== undefined);
  const busy =
    load > BUSY_LOAD
      ? `The machine was busy with other work (${load.toFixed(1)} processes per core at the start).`
      : "";
  return `${[
    "# Benchmarks: C-Mem beside other memory tools",
    `One run of \`npm run bench -- peers\` on ${date}: ${system}, ${cores} cores, ${memoryGb} GB of memory, Node ${node} for all of them. ${busy}`,
    "The tools differ in purpose, so no column is a verdict: see [what each tool is for](#what-each-tool-is-for). A dash means that a tool was not measured; the reasons are [below](#not-measured).",
    "## Install",
    "`npm install` into an empty folder with an empty cache. Size and time include what the tool needs to run and npm has: Bun and grammar packages for claude-mem, native modules that are compiled where no binary could be fetched. C-Mem comes from a local tarball, so its time has no download.",
    markdownTable(rows, INSTALL),
    ...notesOf(rows),
    "## Hooks",
    `Median of ${rounds} runs, then the fastest run, each divided by that of a bare start of Node; lower is better. The commands are those that the tool registers in Claude Code, started as Claude Code starts them, with recorded payloads. The tools take turns. "async": the agent does not wait for it.`,
    markdownTable(measured("hooks"), HOOKS),
    "## Search",
    "any@5: percent of queries with a right session among the first five; higher is better. keywords: the same queries reduced to their four longest words, as an agent would write them for a tool that wants keywords. nothing found: queries as they are without any result. p50 and p95: one call of the tool's MCP server, queries as they are.",
    "Real sessions: 131 sessions of Claude Code from two repositories, each a store of its own. There are up to 20 queries for each of seven tasks (commit, intent, learning, friction, next prompt, error, file), and any@5 is the mean of the tasks. A tool that finds only paths of files reaches 14.",
    markdownTable(measured("search"), SESSIONS),
    "LoCoMo: the first three conversations, 80 sessions, each conversation a store of its own. The queries are whole questions.",
    markdownTable(measured("locomo"), LOCOMO),
    "C-Mem and claude-historian-mcp read the transcripts. The other tools got each turn by their own hooks or write tool: the prompt, the agent's last message and the edited files. They lack what tools printed, so C-Mem has more to find. All searches are by keywords: semantic search needs a download outside npm, or an optional one for C-Mem. With it, these tools can find more than here.",
    ...rows
      .filter(({ searchNote }) => searchNote !== undefined)
      .map(({ name, searchNote }) => `- ${name}: ${searchNote}.`),
    "## Import, tokens, lost events, secrets",
    importText(rows),
    "- tokens: estimated tokens sent to a scripted model on this machine for 60 tool uses of 3 KB in six turns without pauses. C-Mem has no model by default; here it is connected to one. Its figure for realistic pauses is in `npm run bench -- tokens`.",
    "- kept: of 200 tool uses sent by hooks, four at a time, how many acknowledged ones (exit 0) the tool still has, raw or as a memory. In the second column every process of the tool is killed with `kill -9` before the 50th, 100th and 150th event. A killed hook is not acknowledged, so only a tool that answers before it has written loses events.",
    "- secrets: of 32 made-up secrets in prompts, commands and outputs, how many are stored in clear text. The second number is how many of the samples the tool recorded at all. The list was written for this benchmark, by the authors of C-Mem; other secrets can give other figures.",
    markdownTable(
      rows.filter(({ hooks }) => hooks !== undefined),
      OTHER,
    ),
    ...rows.flatMap(modelText),
    "## Where C-Mem is worse",
    ...worse(rows),
    "## What each tool is for",
    ...rows.map(
      ({ name, purpose, extra }) => `- **${name}**: ${purpose}.${extra === "" ? "" : ` Beyond C-Mem: ${extra}.`}`,
    ),
    "## Not measured",
    ...rows.flatMap(missingText),
    "## Repeat it",
    "    C_MEM_REAL_SESSIONS=folder C_MEM_LOCOMO=locomo10.json npm run bench -- peers --out result.json",
    "It takes about 20 minutes, runs on Linux, and needs npm and a C++ compiler. `--only cavemem` measures one tool and leaves this page alone. Everything is installed and stored in a temporary folder, which is removed at the end. Without the two variables, import and search are skipped.",
  ]
    .map(wrap)
    .reduce(
      (page, block) =>
        `${page}${page.includes("\n- ", page.lastIndexOf("\n\n")) && block.startsWith("- ") ? "\n" : "\n\n"}${block}`,
    )}\n`;
}

function notesOf(rows: readonly Row[]): string[] {
  return rows.flatMap(({ name, install }) => (install?.note === undefined ? [] : [`- ${name}: ${install.note}.`]));
}

function importText(rows: readonly Row[]): string {
  const [first] = rows.flatMap((row) => row.import ?? []);
  const size = first === undefined ? "" : ` (${first.sessions} sessions, ${first.megabytes.toFixed(0)} MB)`;
  return `- import: the first import of all real sessions${size}, until they can be searched.`;
}

function modelText({ name, secrets, tokens }: Row): string[] {
  return [
    ...(tokens?.requests === 0 ? [`- ${name} was connected to the model, but its hooks asked it nothing.`] : []),
    ...(secrets !== undefined && secrets.modelSaw > 0
      ? [`- ${name} also sent ${secrets.modelSaw} of the secrets to its model.`]
      : []),
  ];
}

function missingText({ name, missing, search, locomo }: Row): string[] {
  const searches = [["search", search] as const, ["LoCoMo", locomo] as const];
  const failures = searches.flatMap(([key, result]) =>
    result !== undefined && isFailure(result) ? [[key, result.reason] as const] : [],
  );
  const byReason = Map.groupBy([...Object.entries(missing), ...failures], ([, reason]) => reason);
  return [...byReason].map(
    ([reason, list]) => `- ${name}, ${list.map(([measurement]) => measurement).join(", ")}: ${reason}.`,
  );
}

/** The figures of other tools that beat C-Mem's in this run. */
function worse(rows: readonly Row[]): string[] {
  const own = rows.find(({ name }) => name === "C-Mem");
  const others = rows.filter((row) => row !== own);
  const better = (name: string, value: (row: Row) => number | undefined, sign: 1 | -1): string[] => {
    const mine = own === undefined ? undefined : value(own);
    if (mine === undefined) return [];
    const names = others.filter((row) => sign * (value(row) ?? Infinity * -sign) > sign * mine).map((row) => row.name);
    return names.length === 0 ? [] : [`- ${name}: ${names.join(", ")}.`];
  };
  const ratio = (index: number) => (row: Row) => row.hooks?.[index]?.ratio;
  const p50 = (key: "search" | "locomo") => (row: Row) => {
    const result = row[key];
    return result === undefined || isFailure(result) ? undefined : result.p50;
  };
  return [
    ...better("smaller install", (row) => row.install?.megabytes, -1),
    ...better("faster install", (row) => row.install?.seconds, -1),
    ...better("faster SessionStart hook", ratio(0), -1),
    ...better("faster UserPromptSubmit hook", ratio(1), -1),
    ...better("faster PostToolUse hook", ratio(2), -1),
    ...better("faster search of the real sessions", p50("search"), -1),
    ...better("faster search of LoCoMo", p50("locomo"), -1),
    ...better("fewer tokens", (row) => (row.missing.tokens === "it calls no model" ? 0 : row.tokens?.sent), -1),
    "- No setup: claude-historian-mcp keeps no data and needs no import; server-memory keeps one readable file.",
    "- Semantic search out of the box: claude-mem and cavemem fetch what it needs on installation or first use.",
  ];
}

/** Lines shorter than 120 characters; tables and code stay as they are. */
function wrap(block: string): string {
  if (/^(?:\||#| {4})/.test(block)) return block;
  const indent = block.startsWith("- ") ? "  " : "";
  const lines = [""];
  for (const word of block.trim().split(" ")) {
    const last = lines.at(-1) ?? "";
    if (last !== "" && last.length + word.length + 1 > WIDTH) lines.push(`${indent}${word}`);
    else lines[lines.length - 1] = last === "" ? word : `${last} ${word}`;
  }
  return lines.join("\n");
}
