// c-mem __complete: candidates for the tab key. Quick, and silent whatever is wrong.
import { existsSync } from "node:fs";
import { AGENTS } from "../../agents/spec.ts";
import { type Env, resolvePaths } from "../../config/paths.ts";
import { ago, oneLine } from "../../core/text.ts";
import { effortStory } from "../../recall/efforts/efforts.ts";
import { findEfforts } from "../../recall/efforts/efforts.ts";
import { type Db, openDriver } from "../../store/db/driver.ts";
import { listObservations } from "../../store/reads/observation-list.ts";
import { listProjects } from "../../store/tables/projects.ts";
import { recentSessionIds } from "../../store/reads/session-list.ts";
import { EXIT, print } from "../output.ts";
import { type Candidate, findCandidates, type Known } from "./candidates.ts";

const MAX_SESSIONS = 50;
const MAX_EFFORTS = 20;
const MAX_ABOUT_CHARS = 60;
const BUSY_TIMEOUT_MS = 100;

export async function complete(words: readonly string[], env: Env): Promise<number> {
  for (const { value, about } of await findCandidates(words, fromStore(env))) {
    print(`${oneLine(value, 200)}\t${oneLine(about, MAX_ABOUT_CHARS)}`);
  }
  return EXIT.ok;
}

function fromStore(env: Env): Known {
  const read = (work: (db: Db) => Candidate[]): Candidate[] => readStore(resolvePaths(env).database, work);
  return {
    agents: () => AGENTS.map(({ id, label }) => ({ value: id, about: label })),
    projects: () =>
      read((db) => {
        const projects = listProjects(db);
        // Of two with the same name the one used last is meant by it.
        const named = projects.filter(({ name }, index) => projects.findIndex((one) => one.name === name) === index);
        return named.map(({ name, root }) => ({ value: name, about: root }));
      }),
    observations: () =>
      read((db) => listObservations(db, {}, MAX_SESSIONS).map(({ id, title }) => ({ value: `o${id}`, about: title }))),
    efforts: () =>
      read((db) =>
        findEfforts(db)
          .slice(0, MAX_EFFORTS)
          .map((effort) => {
            const { id, title, lastAt } = effortStory(db, effort);
            return { value: id, about: `${ago(lastAt, Date.now())}: ${title}` };
          }),
      ),
    sessions: (prefix) =>
      read((db) =>
        recentSessionIds(db, prefix, MAX_SESSIONS).map(({ session_id, title, last_at }) => ({
          value: session_id,
          about: `${ago(last_at, Date.now())}: ${title ?? "(untitled)"}`,
        })),
      ),
  };
}

/** Read-only: no drain, no migration. The tab key must neither wait nor fail. */
function readStore(path: string, work: (db: Db) => Candidate[]): Candidate[] {
  if (!existsSync(path)) return [];
  try {
    const db = openDriver(path, { readOnly: true, busyTimeoutMs: BUSY_TIMEOUT_MS });
    try {
      return work(db);
    } finally {
      db.close();
    }
  } catch {
    return [];
  }
}
