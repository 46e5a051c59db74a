// All that is known of the folder an event happened in: looked up once per folder, not once per event.
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
  /** Filtered: paths and remotes go into the store as well. */
  project: Project;
  /** Nothing of what happens here may be recorded. */
  isExcluded: boolean;
  /** Why, for a person. */
  offReason: string | undefined;
  /** Only because settings cannot be read: what is skipped now is to be read again once they can. */
  isBlocked: boolean;
}

export function findCaptureContext(cwd: string, userSettings: string, env: Env): CaptureContext {
  const place = findPlace(cwd);
  const loaded = loadSettings({ user: userSettings, project: place.projectFiles }, env);
  const project = identifyProject(place, loaded);
  const reason = offReason(place, loaded, env);
  return {
    place,
    settings: loaded.values,
    project: {
      key: filterText(project.key),
      name: filterText(project.name),
      root: filterText(project.root),
      ...(project.remote !== undefined && { remote: filterText(project.remote) }),
    },
    isExcluded: reason !== undefined,
    offReason: reason,
    isBlocked: reason !== undefined && reason === loaded.blocked,
  };
}

/** The project of a folder, and what is known of it. */
export function findProjectHere(
  db: Db,
  { paths, env, cwd }: { paths: Paths; env: Env; cwd: string },
): { here: Project; known: ProjectRow | undefined } {
  const place = findPlace(cwd);
  const settings = loadSettings({ user: paths.config, project: place.projectFiles }, env);
  const here = identifyProject(place, settings);
  return { here, known: findProject(db, here.key) };
}
