// Checks the sources: no captured text is passed to a shell or run as code, and values reach SQL only as parameters.
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";

const SRC = resolve(import.meta.dirname, "../../src");
const FILES = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
  .map((name) => ({ name, text: readFileSync(join(SRC, name), "utf8") }));

/** Files that start processes: Node with a bundle of C-Mem, claude, git, or an editor or tmux that the user asked for. */
const STARTERS = [
  "agents/claude-code/install.ts",
  "agents/opencode/plugin.ts",
  "health/agents.ts",
  "health/install-checks.ts",
  "cli/agent-sdk.ts",
  "llm/agent-sdk/agent.ts",
  "cli/commands/user-edits.ts",
  "cli/commands/import.ts",
  "cli/commands/install.ts",
  "cli/commands/model.ts",
  "cli/commands/open.ts",
  "cli/commands/resume.ts",
  "cli/commands/worker.ts",
  "cli/ensure-runtime.ts",
  "cli/interactive/main.ts",
  "cli/runtime.ts",
  "platform/git.ts",
  "platform/worker-start.ts",
  "embed/spawned.ts",
  "hook/main.ts",
  "llm/child.ts",
  "mcp/main.ts",
  "server/offload.ts",
  "worker/main.ts",
];

test("only these files start processes, and none through a shell", () => {
  const starters = FILES.filter(({ text }) => /child_process|tinyexec/.test(text)).map(({ name }) => name);
  expect(starters.toSorted()).toEqual(STARTERS.toSorted());
  for (const { name, text } of FILES) {
    // $EDITOR may be a command line, so it runs in a shell; the path is passed in an environment variable.
    if (name !== "cli/commands/user-edits.ts") expect(text, name).not.toMatch(/shell:\s*true/);
    expect(text, name).not.toMatch(/\bexecSync\b|import \{[^}]*\bexec\b[^}]*\} from "node:child_process"/);
    expect(text, name).not.toMatch(
      /(?:spawn|spawnSync|execFile|execFileSync)\(\s*["'`](?:sh|bash|zsh|cmd|powershell)\b/,
    );
  }
});

test("captured text is never run as code", () => {
  for (const { name, text } of FILES)
    expect(text, name).not.toMatch(/\beval\(|new Function\(|vm\.run|require\(`|import\(`/);
});

/** Expressions allowed in SQL templates without the sql tag: names, placeholders and fixed conditions. */
const PIECES = new Set([
  "table",
  "column",
  "where",
  "PAGE",
  "STEP_PAGES",
  "before",
  'values.join(", ")',
  "quoted(table)",
  'isDurable ? "FULL" : "NORMAL"',
]);
const SQL = /\b(?:SELECT|INSERT INTO|INSERT OR|UPDATE|DELETE FROM|PRAGMA|FROM)\b/;

/**
 * Expressions allowed in raw(), which inserts text into sql`...` (other values are bound): names of tables and columns,
 * fixed pieces of SQL, and numbers. None of them comes from outside. Check that before you add to this list.
 */
const RAW = new Set([
  'test.join(" OR ")',
  "index",
  "item",
  "text",
  "title",
  "key",
  "letter",
  "table",
  "source",
  "column",
  "name",
  "owner",
  "o",
  "p",
  "copy",
  "session",
  "prompt",
  "check",
  "texts",
  "marks",
  "hasText",
  "isIndexed",
  "index.table",
  "index.weights",
  "TABLES[item.kind]",
  "GROUP_BY[by].name",
  "GROUP_BY[by].key",
  "COST_BY[by]",
  "rows",
  "waiting",
  "INTERRUPTED",
  "DAY_MS",
  "VECTORS_PER_CHUNK",
  "QUARTER_S",
  "QUARTER_S * 1000",
  '"id"',
  '"1"',
  '""',
  '"*"',
  'plain.join(", ")',
  "item.table",
  '"l.project_id"',
  // Quoted names from the database's own list of tables and columns.
  "quote(table)",
  "quote(one)",
  "quote(name)",
  "quote(column)",
  'columns.map(quote).join(", ")',
  'keys.map(quote).join(", ")',
  'alias === undefined ? "" : `${alias}.`',
  'by === "day" ? "name DESC" : "sum(l.input_tokens + l.output_tokens) DESC, name"',
  'kind === "turn" ? "prompts" : "observations"',
  'table === "tombstones" ? "1" : "id"',
]);

const RAW_CALL = /\braw\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)/g;

test("values reach SQL only as parameters, apart from known pieces", () => {
  const unknown: string[] = [];
  for (const { name, text } of FILES.filter((file) => file.name !== "store/db/sql.ts")) {
    const isTagged = /from ".*\bsql\.ts"/.test(text);
    for (const [, piece = ""] of isTagged ? text.matchAll(RAW_CALL) : [])
      if (!RAW.has(piece)) unknown.push(`${name}: ${piece}`);
    // In files that use sql`...`, untagged SQL templates are only those passed directly to a method of `db`.
    const templates = isTagged
      ? text.matchAll(/db\.\w+(?:<[^(]*>)?\(\s*`[^`]*`/g)
      : text.matchAll(/`(?:[^`\\]|\\.)*`/g);
    for (const [template] of templates) {
      if (!SQL.test(template)) continue;
      for (const [, piece = ""] of template.matchAll(/\$\{((?:[^{}]|\{[^{}]*\})*)\}/g))
        if (!PIECES.has(piece)) unknown.push(`${name}: ${piece}`);
    }
    // No SQL is concatenated from strings.
    expect(text, name).not.toMatch(/db\.(?:run|get|all|exec|has|value|column)\(\s*["'][^"'\n]*["']\s*\+\s*(?!["'`])/);
  }
  expect(unknown).toEqual([]);
});

/** Files outside store/ that may contain SQL: most read other tools' databases or backups, or delete data. */
const SQL_FILES = [
  "agents/opencode/discover.ts",
  "agents/opencode/store.ts",
  "capture/import/import-database.ts",
  "capture/import/source.ts",
  "upkeep/audit/clean.ts",
  "upkeep/backup/repair.ts",
  "upkeep/erase/deletion-set.ts",
  "upkeep/erase/derived-text.ts",
  "upkeep/erase/erase-rows.ts",
  "upkeep/erase/rows-containing.ts",
  "upkeep/erase/scrub-backups.ts",
  "upkeep/erase/select-deletion.ts",
];

test("only store/ and the listed files contain SQL", () => {
  const found = FILES.filter(({ name }) => !name.startsWith("store/"))
    .filter(({ text }) =>
      /["'`]\s*(?:SELECT\b[^"'`]*\bFROM|INSERT (?:OR \w+ )?INTO|UPDATE \w+ SET|DELETE FROM)\b/.test(text),
    )
    .map(({ name }) => name);
  expect(found.toSorted()).toEqual(SQL_FILES);
});
