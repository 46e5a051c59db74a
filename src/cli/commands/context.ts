// c-mem context: the block an agent gets at session start, for a person to read.
import { findPlace, identifyProject } from "../../capture/project.ts";
import { readRefLog } from "../../capture/ref-log.ts";
import { describeTree } from "../../capture/work-tree.ts";
import { loadSettings } from "../../config/load.ts";
import { resolvePaths } from "../../config/paths.ts";
import { AppError } from "../../core/error.ts";
import { estimateTokens } from "../../core/tokens.ts";
import { buildContext } from "../../recall/context.ts";
import { findProject, findProjectByName } from "../../store/projects.ts";
import type { CommandOptions } from "../table.ts";
import { dim, EXIT, print, printJson } from "../output.ts";
import { withStore } from "../store.ts";
import { withCommas } from "../../core/text.ts";

export function run({ args, flags, json }: CommandOptions): number {
  const env = process.env;
  const paths = resolvePaths(env);
  const place = findPlace(process.cwd());
  const settings = loadSettings({ user: paths.config, project: place.projectFiles }, env);
  return withStore(paths, (db) => {
    const here = identifyProject(place, settings);
    const [name] = args;
    const project = name === undefined ? findProject(db, here.key) : findProjectByName(db, name);
    const block =
      project &&
      buildContext(db, {
        project,
        source: (flags["source"] as string | undefined) ?? "startup",
        settings: settings.values,
        // Another project's files are not here to be looked at.
        tree: name === undefined ? describeTree(place, undefined, readRefLog(place)) : undefined,
        now: Date.now(),
      });
    if (project === undefined || block === undefined || block.text === "") {
      throw new AppError("nothing_found", `Nothing is remembered of ${name ?? here.name} yet.`, {
        hint: "`c-mem sync` brings in earlier sessions; `c-mem status` shows what there is.",
      });
    }
    const { tokens, stale } = block;
    if (json) {
      printJson("context", {
        project: { key: project.key, name: project.name },
        text: block.text,
        items: block.items,
        chars: block.text.length,
        tokens,
        stale,
      });
    } else {
      print(block.text);
      const note = stale > 0 ? `; ${stale} left out: their files are gone` : "";
      print(dim(`\n${withCommas(block.text.length)} characters, about ${withCommas(tokens)} tokens${note}`));
      if (flags["preview"] === true) print(dim(partsOf(block.text)));
    }
    return EXIT.ok;
  });
}

/** What each section takes, as the block itself is counted. */
function partsOf(text: string): string {
  const parts = text.split(/^(?=## )/m);
  const rows = parts.map((part, index) => {
    const name = index === 0 ? "Introduction" : (/^## ([^(\n]+)/.exec(part)?.[1] ?? "").trim();
    return [withCommas(estimateTokens(part)), name] as const;
  });
  const width = Math.max(...rows.map(([tokens]) => tokens.length));
  return rows.map(([tokens, name]) => `  ${tokens.padStart(width)}  ${name}`).join("\n");
}
