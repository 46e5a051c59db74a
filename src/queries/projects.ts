// Lists the projects with recorded sessions, the most recently used first.
import { nothingFound } from "../core/error.ts";
import { ago, count, oneLine } from "../core/text.ts";
import { dim } from "../platform/terminal/style.ts";
import { listProjects } from "../store/tables/projects.ts";
import { defineQuery } from "./query.ts";
import { jsonOf, listOf, defineNames, schemaOf } from "./schemas.ts";

const PROJECT = defineNames({ text: ["key", "name", "root"], count: ["sessions"], timeOrNull: ["last_at"] });

export const projects = defineQuery({
  name: "projects",
  about: "list the projects with recorded sessions",
  fields: {},
  http: { path: "/api/projects", tag: "insight" },
  reply: (z) => ({
    data: listOf(z, z.strictObject(schemaOf(z, PROJECT))),
  }),
  run(_input, { db }) {
    const rows = listProjects(db);
    if (rows.length === 0) throw nothingFound("No projects yet.", "`c-mem sync` imports earlier sessions.");
    return { data: { results: rows.map((row) => jsonOf(PROJECT, row)) }, rows };
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
