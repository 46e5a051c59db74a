// Lists the backups of the database, and checks that they are intact.
import { resolve } from "node:path";
import type { Paths } from "../config/paths.ts";
import { AppError, nothingFound, usageError } from "../core/error.ts";
import { ago, count } from "../core/text.ts";
import { statOf } from "../platform/read-file.ts";
import { bytes, dim, fields } from "../platform/terminal/style.ts";
import { type Backup, checkDatabase, type BackupContents, listBackups } from "../store/db/backup.ts";
import { toStoreError } from "../store/db/open.ts";
import { defineQuery, type Zod } from "./query.ts";
import { jsonOf, listOf, defineNames, schemaOf, textOrNull } from "./schemas.ts";

const EXIT_FAILED = 1;

const BACKUP = defineNames({ text: ["name", "path"], time: ["created_at"], count: ["bytes"] });

export const backups = defineQuery({
  name: "backup",
  about: "list the backups",
  fields: {},
  http: { path: "/api/backups", tag: "health" },
  reply: (z) => ({
    data: listOf(
      z,
      z.strictObject({
        ...schemaOf(z, BACKUP),
        kind: z.enum(["daily", "manual", "migration"]),
      }),
    ),
  }),
  run: (_input, { paths }) => ({ data: { results: listBackups(paths.database).map(backupJson) } }),
  text({ data: { results } }, { note }) {
    if (results.length === 0) note("No backups yet. `c-mem backup create` makes one; the worker makes one every day.");
    const age = (at: string): string => ago(Date.parse(at), Date.now());
    return fields(results.map(({ name, created_at: at, bytes: size }) => [name, dim(`${bytes(size)}, ${age(at)}`)]));
  },
});

const contentsOf = (z: Zod) =>
  z.strictObject(
    schemaOf(z, { int: ["schema"], count: ["sessions", "prompts", "messages", "tool_uses", "observations"] }),
  );

export const verifyBackups = defineQuery({
  name: "backup",
  about: "read backups completely and check that they are intact",
  fields: { which: { kind: "text", about: "a backup's name, time or file (default: all)" } },
  reply: (z) => ({
    data: listOf(z, z.strictObject({ path: z.string(), contents: contentsOf(z).nullable(), problem: textOrNull(z) })),
  }),
  run({ which }, { paths }) {
    const chosen =
      which === undefined ? listBackups(paths.database).map(({ path }) => path) : [findBackup(paths, which)];
    if (chosen.length === 0) throw noBackup();
    const results = chosen.map((path) => ({ path, ...checkBackup(path) }));
    const isDamaged = results.some(({ contents }) => contents === null);
    return { data: { results }, ...(isDamaged && { exitCode: EXIT_FAILED }) };
  },
  text: ({ data }) =>
    data.results
      .map(({ path, contents, problem }) =>
        contents === null ? `${path}\n  DAMAGED: ${problem}` : `${path}\n  intact: ${contentsText(contents)}`,
      )
      .join("\n"),
});

/** `which`: the name of a backup, the start of its time, or the path of a file. */
export function findBackup(paths: Paths, which: string): string {
  const found = listBackups(paths.database).filter(({ name }) => name === which || name.startsWith(`c-mem-${which}`));
  const [first] = found;
  if (found.length === 1 && first !== undefined) return first.path;
  if (found.length > 1) throw usageError(`"${which}" matches ${found.length} backups.`, "c-mem backup list");
  if (statOf(which)?.isFile()) return resolve(which);
  throw nothingFound(`No backup "${which}".`, "c-mem backup list");
}

export function noBackup(): AppError {
  return nothingFound("No intact backup.", "`c-mem backup create` makes one.");
}

export function checkBackup(path: string): { contents: BackupContents | null; problem: string | null } {
  try {
    return { contents: checkDatabase(path), problem: null };
  } catch (error) {
    return { contents: null, problem: (toStoreError(error, path) as Error).message };
  }
}

export function backupJson(backup: Backup) {
  return { ...jsonOf(BACKUP, { ...backup, created_at: backup.at }), kind: backup.kind };
}

export function contentsText({ sessions, prompts, tool_uses, observations }: BackupContents): string {
  return [
    count(sessions, "session"),
    count(prompts, "prompt"),
    count(tool_uses, "tool use"),
    count(observations, "observation"),
  ].join(", ");
}
