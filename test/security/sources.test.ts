// What the sources promise: no shell is given captured text, and values reach SQL as parameters only.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const SRC = resolve(import.meta.dirname, "../../src");
const FILES = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((name) => ({ name, text: readFileSync(join(SRC, name), "utf8") }));

/** Who starts processes: another Node with a bundle of ours, `claude`, an editor or tmux the user has asked for. */
const STARTERS = [
  "agents/claude-code/install.ts",
  "answers/agents-health.ts",
  "answers/run-health.ts",
  "cli/commands/edit.ts",
  "cli/commands/import.ts",
  "cli/commands/install.ts",
  "cli/commands/model.ts",
  "cli/commands/open.ts",
  "cli/commands/resume.ts",
  "cli/commands/worker.ts",
  "cli/ensure-runtime.ts",
  "cli/interactive/main.ts",
  "cli/runtime.ts",
  "config/worker-start.ts",
  "embed/spawned.ts",
  "hook/elsewhere.ts",
  "hook/opencode-plugin.ts",
  "llm/child.ts",
  "mcp/main.ts",
  "server/aside.ts",
  "worker/back-up.ts",
  "worker/main.ts",
];

test("only these files start processes, and none through a shell", () => {
  const starters = FILES.filter(({ text }) => /child_process|tinyexec/.test(text)).map(({ name }) => name);
  expect(starters.toSorted()).toEqual(STARTERS.toSorted());
  for (const { name, text } of FILES) {
    // The editor is a command line of the user's own; what it is given comes in a variable.
    if (name !== "cli/commands/edit.ts") expect(text, name).not.toMatch(/shell:\s*true/);
    expect(text, name).not.toMatch(/\bexecSync\b|import \{[^}]*\bexec\b[^}]*\} from "node:child_process"/);
    expect(text, name).not.toMatch(
      /(?:spawn|spawnSync|execFile|execFileSync)\(\s*["'`](?:sh|bash|zsh|cmd|powershell)\b/,
    );
  }
});

test("nothing of what was captured is run as code", () => {
  for (const { name, text } of FILES)
    expect(text, name).not.toMatch(/\beval\(|new Function\(|vm\.run|require\(`|import\(`/);
});

/** Names of tables and columns, fixed pieces of SQL and limits: none of it comes from outside. Anything new here is to be looked at. */
const NAMES =
  "table index WORK.table WORK.rows lane.table lane.source lane.rows lane.weights TABLES[item.kind] SOURCES[index] " +
  "OF_SESSION MAIN JOINS CHOSEN FAMILY ENTRY USE OWNED OBSERVED DUE_AT WAITING IS_READY TOOL_USE_TEXT TURN_TEXT " +
  "WEIGHTS SUPERSEDED_WEIGHT PINNED_WEIGHT INPUT_CHARS MAX_TOUCHES DAY_MS MAX_SESSIONS PAGE " +
  "family own ending inProject condition ofSession order place.sign sql " +
  // The pieces of `holding`; what SQLite itself said the timeout was; columns to group by, from fixed lists.
  "item from scope any limit before key name kind " +
  // The tables' own list of columns, quoted.
  "columns session after where quote(name) quote(table) quote(column) list(keys) " +
  // Columns of our own tables, from fixed lists or the schema; parts of queries that stand beside them; limits.
  "column id text wanted allowed whose select SESSION JOINED OLD_MEMORY " +
  "NEWEST_TOUCHES TOUCHES BATCH TEXT_CHARS NAME_CHARS TELLING_CHARS BESIDE_CHARS STEP_PAGES " +
  "USE_WITH_ERROR output chosen recent.sql fitting.sql within.sql RECENT_SESSIONS RECENT_USES STORED_ROWS QUARTER_S QUARTER_MS owner " +
  // Which of two checks; what rows take, summed up over fixed columns.
  "check all texts INDEX_FACTOR ROW_BYTES";
const PIECES = new Set([
  ...NAMES.split(" "),
  'by === "project" ? "l.project_id" : key',
  'by === "day" ? "name DESC" : "sum(l.input_tokens + l.output_tokens) DESC, name"',
  '[scope.sql, ...given.map(([sql]) => sql)].join(" AND ")',
  'project === undefined ? "" : "AND s.project_id = ?"',
  'project === undefined ? "" : "project_id = ? AND"',
  'sessionId === undefined ? "" : "WHERE session_id = ?"',
  'sessionId === undefined ? "" : "session_id = ? AND"',
  'kind === "turn" ? "prompts" : "observations"',
  'isDurable ? "FULL" : "NORMAL"',
  // One of a fixed list of tables.
  "nextId(table)",
  // The state of turns, and what counts as a session, for a fixed alias of the table.
  "isRunning()",
  "isRunning(prompt)",
  "endedAt()",
  'endedAt("q")',
  "turnState()",
  'turnState("q")',
  "prompt",
  "TURN",
  "TOUCHES",
  "typed",
  "STATUS",
  "LAST_TURN",
  "INTERRUPTED",
  "condition",
  "isSession()",
  'isSession("c")',
  "isSubagent()",
  'isSubagent("c")',
  'by === "month" ? "" : "HAVING sessions > 0"',
  'isFileSearch ? ", f.path" : ""',
  'columns.join(", ")',
  'row.join(", ")',
  ...["messages", "observations", "prompts", "tool_uses"].map((table) => `nextId("${table}")`),
  "outputOf()",
  'outputOf("t")',
  'outputOf("x")',
  ...["sessions", "prompts", "tool_uses", "observations", "summaries"].map((table) => `max("${table}")`),
  'parts.join(" UNION ALL ")',
  'names.join(", ")',
  // Of a row that is inserted: names from the schema, placeholders, and SQL for the next id of a fixed table.
  'columns.join(", ")',
  'row.join(", ")',
  ...["prompts", "messages", "tool_uses", "observations"].map((table) => `nextId("${table}")`),
  // Columns and tables of another program's database, quoted.
  'values.join(", ")',
  "quoted(table)",
  'names.map(() => "?").join(", ")',
]);
const SQL = /\b(?:SELECT|INSERT INTO|INSERT OR|UPDATE|DELETE FROM|PRAGMA|FROM)\b/;

test("values reach SQL as parameters: what is put into its text is known", () => {
  for (const { name, text } of FILES) {
    for (const [template] of text.matchAll(/`(?:[^`\\]|\\.)*`/g)) {
      if (!SQL.test(template)) continue;
      for (const [, piece = ""] of template.matchAll(/\$\{((?:[^{}]|\{[^{}]*\})*)\}/g)) {
        expect({ name, isKnown: PIECES.has(piece), piece }).toEqual({ name, isKnown: true, piece });
      }
    }
    // No SQL is put together from strings either.
    expect(text, name).not.toMatch(/db\.(?:run|get|all|exec)\(\s*["'][^"'\n]*["']\s*\+\s*(?!["'`])/);
  }
});

/** Those that read databases of others, or of another time. */
const SPEAKERS = [
  "agents/opencode/store.ts",
  "capture/import/import-database.ts",
  "capture/import/source.ts",
  "memory/forget-again.ts",
  "memory/repair.ts",
];

test("only the store speaks SQL, and who reads another's database", () => {
  const speakers = FILES.filter(({ name }) => !name.startsWith("store/"))
    .filter(({ text }) =>
      /["'`]\s*(?:SELECT\b[^"'`]*\bFROM|INSERT (?:OR \w+ )?INTO|UPDATE \w+ SET|DELETE FROM)\b/.test(text),
    )
    .map(({ name }) => name);
  expect(speakers.toSorted()).toEqual(SPEAKERS);
});
