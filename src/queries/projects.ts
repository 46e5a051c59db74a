// What there is memory of, the project worked on last first.
import { AppError } from "../core/error.ts";
import { iso } from "../core/time.ts";
import { listProjects } from "../store/tables/projects.ts";
import type { Asked } from "./query-context.ts";
import type { Answer } from "./envelope.ts";

export function answerProjects({ db }: Asked): Answer & { rows: ReturnType<typeof listProjects> } {
  const rows = listProjects(db);
  if (rows.length === 0) {
    throw new AppError("nothing_found", "Nothing is remembered yet.", {
      hint: "`c-mem sync` brings in earlier sessions.",
    });
  }
  const results = rows.map(({ key, name, root, sessions, last_at }) => ({
    key,
    name,
    root,
    sessions,
    last_at: iso(last_at),
  }));
  return { data: { results }, rows };
}
