// c-mem bug-report: writes a file to attach to an issue, without prompts, secrets and paths.
import { mkdirSync, rmSync } from "node:fs";
import { homedir, release } from "node:os";
import { join, resolve } from "node:path";
import { loadSettings } from "../../config/load.ts";
import type { Env, Paths } from "../../config/paths.ts";
import { SETTING_KEYS, SETTINGS } from "../../config/schema.ts";
import { filterText } from "../../core/privacy/filter.ts";
import { VERSION } from "../../core/version.ts";
import { counts, sqliteVersion } from "../../store/reads/counts.ts";
import { currentVersion } from "../../store/db/migrate.ts";
import { checkHealth } from "../../health/health.ts";
import { allLogEntries, logLine } from "../../health/log-entries.ts";
import { writeOutputFile } from "../output-file.ts";
import { EXIT, printJson, respond, say, writeDocument } from "../output.ts";
import { STDOUT } from "../../platform/terminal/style.ts";
import { withStore } from "../store.ts";
import { defineCommand } from "../command.ts";

const LOG_LINES = 60;

export const command = defineCommand({
  about: "write a file to attach to an issue, without private data",
  needsStore: true,
  fields: {
    file: { kind: "text", position: "[file]", about: "where to write it (default: the logs folder)" },
    output: { kind: "text", short: "o", value: "file", about: "same as [file]; - for stdout" },
  },
  run(input, { json, paths, env }) {
    const named = input.output ?? input.file;
    const text = withoutPaths(filterText(report(paths, env)), paths);
    if (named === "-") {
      if (json) printJson("bug-report", { path: null, chars: text.length, text });
      else writeDocument(STDOUT, text);
      return EXIT.ok;
    }
    // The default is not the current folder: that is often a repository, and the report might be committed.
    const path =
      named === undefined
        ? join(paths.logs, `c-mem-bug-report-${new Date().toISOString().slice(0, 10)}.txt`)
        : resolve(named);
    if (named === undefined) {
      mkdirSync(paths.logs, { recursive: true, mode: 0o700 });
      // Only a report with the default name is replaced. It is deleted first: it may be a link to another file.
      rmSync(path, { force: true });
    }
    writeOutputFile(path, text);
    respond("bug-report", { json, data: { path, chars: text.length }, text: path });
    if (!json) say("Check that it contains nothing private before you attach it.");
    return EXIT.ok;
  },
});

function report(paths: Paths, env: Env): string {
  const checks = checkHealth(paths, env, { now: Date.now(), deep: true });
  const logs = allLogEntries(paths).slice(-LOG_LINES);
  return [
    `C-Mem ${VERSION}, Node ${process.versions.node}, ${process.platform} ${process.arch} ${release()}`,
    section("Store", storeLines(paths)),
    section("Settings", settingLines(paths, env)),
    section(
      "Doctor",
      checks.map(
        ({ name, state, message }) =>
          `${state.padEnd(4)}  ${name}: ${name === "settings" ? withoutQuoted(message) : message}`,
      ),
    ),
    section(
      "Log",
      logs.map((entry) => logLine(entry, { isUtc: true })),
    ),
    "",
  ].join("\n\n");
}

function section(title: string, lines: readonly string[]): string {
  return [`== ${title} ==`, ...(lines.length === 0 ? ["(nothing)"] : lines)].join("\n");
}

function storeLines(paths: Paths): string[] {
  try {
    return withStore(
      paths,
      (db) => [
        `SQLite ${sqliteVersion(db)}, schema ${currentVersion(db)}`,
        ...Object.entries(counts(db)).map(([name, number]) => `${name}: ${number}`),
      ],
      { startsWorker: false },
    );
  } catch (error) {
    return [`cannot be opened: ${(error as Error).message}`];
  }
}

/** Shows numbers and choices; of free text only "(set)". */
function settingLines(paths: Paths, env: Env): string[] {
  const { values, sources, problems } = loadSettings({ user: paths.config }, env);
  const shown = SETTING_KEYS.filter((key) => sources[key] !== "default").map((key) => {
    const value = values[key];
    const isPlain = typeof value === "number" || typeof value === "boolean" || SETTINGS[key].oneOf !== undefined;
    return `${key}: ${isPlain ? String(value) : "(set)"} (${sources[key]})`;
  });
  return [...shown, ...problems.map((problem) => `problem: ${withoutQuoted(problem)}`)];
}

/** Messages quote invalid settings, which may contain private names. */
function withoutQuoted(text: string): string {
  return text.replace(/"[^"]*"/g, '"…"');
}

/** Shortens every path: "~/…", "<data>/x", "/…". */
function withoutPaths(text: string, paths: Paths): string {
  const homes = [...new Set([process.env["HOME"] ?? homedir(), homedir()])];
  const withoutData = text.replaceAll(paths.home, "<data>").replace(QUOTED_PATH, "$1/…$1");
  const withoutHome = homes.reduce((rest, home) => withoutPathsIn(rest, home), withoutData);
  return withoutHome.replace(OTHER_PATH, "/…");
}

/** A quoted path, as in Node's errors. */
const QUOTED_PATH = /(["'`])(?:[A-Za-z]:)?[\\/][^"'`\n]*\1/g;
/** Folder names may contain spaces: "a b/c" is one path. */
const REST = String.raw`[^\s"'\`,;:)\]]*(?: [^\s"'\`,;:)\]/]+\/[^\s"'\`,;:)\]]*)*`;
/** Not in a URL or an already shortened path. */
const OTHER_PATH = new RegExp(String.raw`(?<![\w.:/~>…])\/[\w.@+-]+\/${REST}`, "g");
const HOME_REST = new RegExp(`^/${REST}`);

function withoutPathsIn(text: string, home: string): string {
  if (home.length < 2) return text;
  const [first = "", ...pieces] = text.split(home);
  return first + pieces.map((piece) => `~${piece.startsWith("/") ? piece.replace(HOME_REST, "/…") : piece}`).join("");
}
