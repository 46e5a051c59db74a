// What was injected into agents' sessions, how much of it they used, and its tokens.
import { nothingFound } from "../core/error.ts";
import { withCommas } from "../core/text.ts";
import { pad, padLeft } from "../platform/terminal/layout.ts";
import { dim, heading } from "../platform/terminal/style.ts";
import { compareHoldout, type GroupImpact, impactBySurface, type SurfaceImpact } from "../store/reads/impact.ts";
import { defineQuery } from "./query.ts";
import { schemaOf, whereOf } from "./schemas.ts";
import { readScope, SCOPE } from "./scope.ts";

export const impact = defineQuery({
  name: "impact",
  about: "show injected context, how much was used, and its tokens",
  fields: SCOPE,
  http: { path: "/api/impact", tag: "insight" },
  reply: (z) => ({
    data: z.strictObject({
      surfaces: z.array(
        z.strictObject({
          surface: z.string(),
          ...schemaOf(z, {
            count: ["injections", "sessions", "items", "used", "items_used", "tokens", "marked_wrong"],
          }),
        }),
      ),
      holdout: z.array(
        z.strictObject({
          group: z.enum(["with", "without"]),
          ...schemaOf(z, { count: ["sessions"], number: ["turns", "rereads", "failures"] }),
        }),
      ),
    }),
    meta: z.strictObject({ where: whereOf(z) }),
  }),
  run(input, context) {
    const { scope, where, anywhere } = readScope(input, context);
    const surfaces = impactBySurface(context.db, scope);
    const holdout = compareHoldout(context.db, scope);
    if (surfaces.length === 0 && holdout.length === 0) {
      throw nothingFound(
        `Nothing has been injected in ${anywhere} yet.`,
        "Context is injected once sessions are recorded. Preview it: `c-mem context`",
      );
    }
    return { data: { surfaces, holdout }, meta: { where } };
  },
  text({ data: { surfaces, holdout }, meta: { where } }) {
    const parts = [
      `${heading(`Injected context in ${where}`)}\n${surfaceTable(surfaces)}`,
      dim("  used: later in the session its id was named, its title repeated, its file touched or its fix run"),
      dim("  wrong: items marked with `c-mem wrong`"),
    ];
    if (holdout.length > 0) parts.push(groupTable(holdout));
    return parts.join("\n\n");
  },
});

const SURFACE_COLUMNS = 15;
const NUMBER_COLUMNS = 11;
/** With fewer sessions in a group, the comparison says nothing. */
const MIN_SESSIONS = 20;

function surfaceTable(rows: readonly SurfaceImpact[]): string {
  const line = (name: string, cells: readonly string[]): string =>
    `  ${pad(name, SURFACE_COLUMNS)}${cells.map((cell) => padLeft(cell, NUMBER_COLUMNS)).join("")}`;
  const header = dim(line("", ["shown", "used", "not used", "items used", "tokens", "wrong"]));
  const body = rows.map((row) =>
    line(row.surface, [
      withCommas(row.injections),
      `${withCommas(row.used)} (${Math.round((100 * row.used) / row.injections)}%)`,
      withCommas(row.injections - row.used),
      `${withCommas(row.items_used)}/${withCommas(row.items)}`,
      withCommas(row.tokens),
      withCommas(row.marked_wrong),
    ]),
  );
  return [header, ...body].join("\n");
}

function groupTable(groups: readonly GroupImpact[]): string {
  const rows = groups.map(
    ({ group, sessions, turns, rereads, failures }) =>
      `  ${pad(`${group} memory`, SURFACE_COLUMNS)}  ${sessions} ${sessions === 1 ? "session" : "sessions"}: ${turns.toFixed(1)} turns, ${rereads.toFixed(1)} files read again, ${failures.toFixed(1)} failed calls per session`,
  );
  const few = groups.length < 2 || groups.some(({ sessions }) => sessions < MIN_SESSIONS);
  return [heading("Holdout"), ...rows, ...(few ? [dim("  too few sessions for a conclusion")] : [])].join("\n");
}
