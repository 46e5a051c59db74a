// c-mem remember: writes something down, for this project or for all.
import { readFileSync } from "node:fs";
import { findSurroundings } from "../../capture/surroundings.ts";
import { resolvePaths } from "../../config/paths.ts";
import { AppError } from "../../core/error.ts";
import type { Observation } from "../../core/memory.ts";
import { titleOf } from "../../core/title.ts";
import { remember } from "../../memory/own.ts";
import type { Db } from "../../store/driver.ts";
import { findObservation, type ObservationEntry } from "../../store/observation-list.ts";
import { findProjectByName, upsertProject } from "../../store/projects.ts";
import { fit } from "../layout.ts";
import type { CommandOptions } from "../table.ts";
import { readConcepts, readNames, readType } from "../observation-flags.ts";
import { observationJson } from "../observation-text.ts";
import { EXIT, print, printJson, say } from "../output.ts";
import { withStore } from "../store.ts";

export function run({ args, flags, json }: CommandOptions): number {
  const text = (args.length === 1 && args[0] === "-" ? readFileSync(0, "utf8") : args.join(" ")).trim();
  if (text === "") throw new AppError("usage", "What shall be remembered?", { hint: "c-mem remember <text>" });
  const title = flags["title"] === undefined ? titleOf(text) : String(flags["title"]);
  const observation: Observation = {
    type: readType(flags["type"]) ?? "discovery",
    title,
    narrative: text,
    facts: [],
    concepts: readConcepts(flags["concept"]) ?? [],
    files: readNames(flags["file"]) ?? [],
    evidence: [],
    origin: "user",
  };
  return withStore(resolvePaths(process.env), (db) => {
    const projectId = flags["all"] === true ? undefined : projectOf(db, flags["project"]);
    const { id, isNew, alike } = remember(db, projectId, observation, Date.now());
    const row = findObservation(db, id) as ObservationEntry;
    if (json) {
      const nearly = alike.map((one) => ({ id: `o${one.id}`, title: one.title }));
      printJson("remember", { ...observationJson(row), is_new: isNew, alike: nearly });
      return EXIT.ok;
    }
    const where = row.project ?? "every project";
    print(`${isNew ? "Remembered" : "Already known"} for ${where} as o${id}: ${fit(row.title, 100)}`);
    for (const one of alike) {
      say(`o${one.id} says nearly the same: ${fit(one.title, 80)}`);
      say(`  c-mem supersede o${one.id} o${id}   if this takes its place`);
    }
    return EXIT.ok;
  });
}

/** The project here may be one nothing has happened in yet. */
function projectOf(db: Db, name: unknown): number {
  if (typeof name === "string") {
    const named = findProjectByName(db, name);
    if (named !== undefined) return named.id;
    throw new AppError("nothing_found", `There is no project "${name}".`, { hint: "`c-mem projects` lists them." });
  }
  const { project } = findSurroundings(process.cwd(), resolvePaths(process.env).config, process.env);
  return upsertProject(db, project, Date.now());
}
