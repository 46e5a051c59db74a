// The projects with recorded sessions, the one worked on last first.
import { AppError } from "../core/error.ts";
import { ago, count, oneLine } from "../core/text.ts";
import { iso } from "../core/time.ts";
import { dim } from "../platform/terminal/style.ts";
import { listProjects } from "../store/tables/projects.ts";
import { defineQuery } from "./query.ts";
import { countOf, listOf, timeOrNull } from "./schemas.ts";

export const projects = defineQuery({
  name: "projects",
  about: "list the projects with recorded sessions",
  fields: {},
  http: { path: "/api/projects", tag: "insight" },
  reply: (z) => ({
    data: listOf(
      z,
      z.strictObject({
        key: z.string(),
        name: z.string(),
        root: z.string(),
        sessions: countOf(z),
        last_at: timeOrNull(z),
      }),
    ),
  }),
  run(_input, { db }) {
    const rows = listProjects(db);
    if (rows.length === 0)
      throw new AppError("nothing_found", "No projects yet.", { hint: "`c-mem sync` imports earlier sessions." });
    const results = rows.map(({ key, name, root, sessions, last_at }) => ({
      key,
      name,
      root,
      sessions,
      last_at: iso(last_at),
    }));
    return { data: { results }, rows };
  },
  text({ rows }) {
    const width = Math.max(...rows.map((row) => oneLine(row.name, 60).length));
    return rows
      .map((row) => {
        const name = oneLine(row.name, 60).padEnd(width);
        return `${name}  ${count(row.sessions, "session")}, ${ago(row.last_at, Date.now())}  ${dim(oneLine(row.key, 200))}`;
      })
      .join("\n");
  },
});
