// The lint rule for layers rejects every import in the wrong direction.
import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { ROOT } from "./harness.ts";

/** The output of oxlint for a file with one import. */
function lint(file: string, from: string): string {
  const folder = mkdtempSync(join(tmpdir(), "c-mem-lint-"));
  copyFileSync(join(ROOT, ".oxlintrc.json"), join(folder, ".oxlintrc.json"));
  mkdirSync(dirname(join(folder, file)), { recursive: true });
  writeFileSync(join(folder, file), `import { x } from "${from}";\nexport const y = x;\n`);
  try {
    return execFileSync(join(ROOT, "node_modules", ".bin", "oxlint"), [], { cwd: folder, encoding: "utf8" });
  } catch (error) {
    return (error as { stdout: string }).stdout;
  }
}

describe("the layers", () => {
  it.each([
    ["src/core/a.ts", "node:fs"],
    ["src/core/a.ts", "../config/load.ts"],
    ["src/config/a.ts", "../store/db/open.ts"],
    ["src/config/a.ts", "../agents/spec.ts"],
    ["src/agents/claude-code/a.ts", "../../store/open.ts"],
    ["src/agents/spec.ts", "../capture/apply.ts"],
    ["src/store/a.ts", "../capture/apply.ts"],
    ["src/store/a.ts", "../llm/provider.ts"],
    ["src/embed/a.ts", "../store/open.ts"],
    ["src/capture/a.ts", "../recall/context.ts"],
    ["src/memory/a.ts", "../capture/apply.ts"],
    ["src/recall/a.ts", "../cli/output.ts"],
    ["src/recall/a.ts", "../queries/search.ts"],
    ["src/queries/a.ts", "../cli/output.ts"],
    ["src/upkeep/a.ts", "../queries/search.ts"],
    ["src/memory/a.ts", "../upkeep/erase/forget.ts"],
    ["src/health/a.ts", "../queries/search.ts"],
    ["src/hook/a.ts", "../queries/search.ts"],
    ["src/hook/a.ts", "../llm/provider.ts"],
    ["src/hook/a.ts", "../memory/extract.ts"],
    ["src/hook/a.ts", "../cli/output.ts"],
    ["src/cli/a.ts", "../hook/log.ts"],
    ["src/cli/commands/a.ts", "../../worker/main.ts"],
    ["src/mcp/a.ts", "../cli/output.ts"],
    ["src/server/a.ts", "../worker/log.ts"],
    ["src/cli/a.ts", "../server/app.ts"],
    ["src/worker/a.ts", "../cli/output.ts"],
  ])("%s may not import %s", (file, from) => {
    expect(lint(file, from)).toContain("no-restricted-imports");
  });

  it.each([
    ["src/config/a.ts", "../core/error.ts"],
    ["src/config/a.ts", "node:fs"],
    ["src/agents/claude-code/a.ts", "../../core/event.ts"],
    ["src/store/a.ts", "../core/event.ts"],
    ["src/capture/a.ts", "../store/open.ts"],
    ["src/recall/a.ts", "../store/open.ts"],
    ["src/upkeep/a.ts", "../memory/derive.ts"],
    ["src/queries/a.ts", "../upkeep/erase/forget.ts"],
    ["src/queries/a.ts", "../health/health.ts"],
    ["src/hook/a.ts", "../recall/context.ts"],
    ["src/cli/commands/a.ts", "../../capture/drain.ts"],
    ["src/cli/commands/a.ts", "../output.ts"],
    ["src/mcp/a.ts", "../recall/find.ts"],
    ["src/worker/a.ts", "../server/serve.ts"],
  ])("%s may import %s", (file, from) => {
    expect(lint(file, from)).not.toContain("no-restricted-imports");
  });
});
