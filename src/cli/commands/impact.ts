// c-mem impact: what was shown to agents, what of it was used, and what it took, by surface.
import { answerImpact } from "../../queries/impact.ts";
import { withCommas } from "../../core/text.ts";
import type { GroupImpact, SurfaceImpact } from "../../store/reads/impact.ts";
import { pad, padLeft } from "../../platform/terminal/layout.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printAnswer } from "../output.ts";
import { dim, heading } from "../../platform/terminal/style.ts";
import { ask } from "../question.ts";

const SURFACE_COLUMNS = 15;
const NUMBER_COLUMNS = 11;
/** Fewer sessions in a group are an anecdote. */
const ENOUGH_SESSIONS = 20;

export function run({ flags, json }: CommandOptions): number {
  return ask(flags, (asked) => {
    const answer = answerImpact(asked);
    if (json) {
      printAnswer("impact", answer);
      return EXIT.ok;
    }
    const { surfaces, groups, where } = answer;
    print(`${heading(`What memory came to in ${where}`)}\n${surfaceTable(surfaces)}`);
    print(
      dim(
        "\n  used: later in the same session its id was named, its words said again, its file touched or its fix run",
      ),
    );
    if (groups.length > 0) print(`\n${groupTable(groups)}`);
    return EXIT.ok;
  });
}

function surfaceTable(rows: readonly SurfaceImpact[]): string {
  const line = (name: string, cells: readonly string[]): string =>
    `  ${pad(name, SURFACE_COLUMNS)}${cells.map((cell) => padLeft(cell, NUMBER_COLUMNS)).join("")}`;
  const header = dim(line("", ["shown", "used", "not used", "items used", "tokens"]));
  const body = rows.map((row) =>
    line(row.surface, [
      withCommas(row.injections),
      `${withCommas(row.used)} (${Math.round((100 * row.used) / row.injections)}%)`,
      withCommas(row.injections - row.used),
      `${withCommas(row.items_used)}/${withCommas(row.items)}`,
      withCommas(row.tokens),
    ]),
  );
  return [header, ...body].join("\n");
}

function groupTable(groups: readonly GroupImpact[]): string {
  const rows = groups.map(
    ({ group, sessions, turns, rereads, failures }) =>
      `  ${pad(`${group} memory`, SURFACE_COLUMNS)}  ${sessions} ${sessions === 1 ? "session" : "sessions"}: ${turns.toFixed(1)} turns, ${rereads.toFixed(1)} files read again, ${failures.toFixed(1)} failed calls each`,
  );
  const few = groups.length < 2 || groups.some(({ sessions }) => sessions < ENOUGH_SESSIONS);
  return [heading("Held out"), ...rows, ...(few ? [dim("  too few sessions to say anything yet")] : [])].join("\n");
}
