// Finds the settings and the project of a folder, and whether sessions in it are recorded.
import { loadSettings } from "../config/load.ts";
import type { Env, Paths } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import type { Project } from "../core/event.ts";
import { filterText } from "../core/privacy/filter.ts";
import type { Db } from "../store/db/driver.ts";
import { findProject, type ProjectRow } from "../store/tables/projects.ts";
import { findPlace, identifyProject, offReason, type Place } from "./project.ts";

export interface CaptureContext {
  place: Place;
  settings: Settings;
  /** All its texts are filtered for secrets. */
  project: Project;
  /** True if nothing in this folder is recorded. */
  isExcluded: boolean;
  /** Why the folder is excluded, as shown to the user. */
  offReason: string | undefined;
  /** True if the folder is excluded only because a settings file is broken: once fixed, transcripts are read again. */
  isBlocked: boolean;
}

export function findCaptureContext(cwd: string, userSettings: string, env: Env): CaptureContext {
  const place = findPlace(cwd);
  const loaded = loadSettings({ user: userSettings, project: place.projectFiles }, env);
  const { key, name, root, remote } = identifyProject(place, loaded);
  const reason = offReason(place, loaded, env);
  return {
    place,
    settings: loaded.values,
    project: {
      key: filterText(key),
      name: filterText(name),
      root: filterText(root),
      ...(remote !== undefined && { remote: filterText(remote) }),
    },
    isExcluded: reason !== undefined,
    offReason: reason,
    isBlocked: reason !== undefined && reason === loaded.blocked,
  };
}

/** The project of a folder, and its row if the store has one. */
export function findProjectHere(
  db: Db,
  { paths, env, cwd }: { paths: Paths; env: Env; cwd: string },
): { here: Project; known: ProjectRow | undefined } {
  const place = findPlace(cwd);
  const here = identifyProject(place, loadSettings({ user: paths.config, project: place.projectFiles }, env));
  return { here, known: findProject(db, here.key) };
}
