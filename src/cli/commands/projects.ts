// c-mem projects: what there is memory of, the one worked on last first.
import { resolvePaths } from "../../config/paths.ts";
import { AppError } from "../../core/error.ts";
import { ago, oneLine } from "../../core/text.ts";
import { listProjects } from "../../store/projects.ts";
import type { CommandOptions } from "../table.ts";
import { count, dim, EXIT, iso, print, printJson } from "../output.ts";
import { withStore } from "../store.ts";

export function run({ json }: CommandOptions): number {
  const rows = withStore(resolvePaths(process.env), listProjects);
  if (rows.length === 0) {
    throw new AppError("nothing_found", "Nothing is remembered yet.", {
      hint: "`c-mem sync` brings in earlier sessions.",
    });
  }
  if (json) {
    const results = rows.map(({ key, name, root, sessions, last_at }) => ({
      key,
      name,
      root,
      sessions,
      last_at: iso(last_at),
    }));
    printJson("projects", { results });
    return EXIT.ok;
  }
  const width = Math.max(...rows.map((row) => oneLine(row.name, 60).length));
  for (const row of rows) {
    print(
      `${oneLine(row.name, 60).padEnd(width)}  ${count(row.sessions, "session")}, ${ago(row.last_at, Date.now())}  ${dim(oneLine(row.key, 200))}`,
    );
  }
  return EXIT.ok;
}
