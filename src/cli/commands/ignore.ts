// c-mem ignore: excludes folders and files from recording; --forget also deletes their data.
import { existsSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { planDeletion } from "../../queries/forget.ts";
import { covers } from "../../capture/covers.ts";
import { findPlace, offReason } from "../../capture/project.ts";
import { missingFolder } from "../../config/check.ts";
import { explainJson } from "../../config/json-error.ts";
import { parseList } from "../../config/list.ts";
import { loadSettings } from "../../config/load.ts";
import type { Env, Paths } from "../../config/paths.ts";
import { rejectIneffective, writeSetting } from "../../config/write.ts";
import { AppError } from "../../core/error.ts";
import type { DeletionSet } from "../../upkeep/erase/deletion-set.ts";
import type { Db } from "../../store/db/driver.ts";
import { deleteSnapshotsWhere } from "../../store/tables/file-snapshots.ts";
import { selectByPath } from "../../upkeep/erase/select-deletion.ts";
import { transaction } from "../../store/db/transaction.ts";
import { runForget } from "../forget-run.ts";
import { EXIT, print, printJson, respond, say } from "../output.ts";
import { count } from "../../core/text.ts";
import { askYesNo, canAsk } from "../prompts.ts";
import { withStore } from "../store.ts";
import { defineCommand, DRY_RUN, withQueryContext, YES } from "../command.ts";

export const command = defineCommand({
  about: "stop recording a folder, file or glob",
  needsStore: true,
  fields: {
    path: { kind: "text", position: "[path]", about: "a folder, file or glob (default: show ignored paths)" },
    project: { kind: "flag", about: "the whole current project, with its worktrees" },
    list: { kind: "flag", about: "show ignored paths, and whether this folder is ignored" },
    remove: { kind: "flag", about: "record the path again" },
    forget: { kind: "flag", about: "also delete what is already stored" },
    ...YES,
    ...DRY_RUN,
  },
  async run({ path, yes, dryRun, ...input }, { json, paths, env }) {
    const named = path === undefined ? (input.project ? projectRoot() : undefined) : onePath(path);
    if (input.list || named === undefined) return list(paths, env, json);
    const pattern = fullPattern(named);
    const loaded = loadSettings({ user: paths.config }, {}, explainJson);
    // Writing the list would lose its unreadable entries.
    if (loaded.blocked !== undefined) {
      throw new AppError("bad_config", `${loaded.blocked}.`, { hint: `Fix ${paths.config}, then run this again.` });
    }
    const before = loaded.values.excludePaths;
    // The list may contain the path as it was typed.
    if (input.remove) return remove(paths, before.includes(named) ? named : pattern, before, json);
    rejectIneffective("excludePaths", [pattern]);
    const isNew = !before.includes(pattern);
    const save = (): void => {
      if (isNew && !dryRun) writeSetting(paths.config, "excludePaths", [...before, pattern]);
    };
    const stored = withStore(paths, (db) => selectByPath(db, (touched) => covers(pattern, touched)), {
      startsWorker: false,
    });
    const isStored = stored.sessions.size + stored.tool_uses.size > 0;
    const isForget = isStored && (input.forget || (!dryRun && (await wantsForgotten(stored, json))));
    if (!isForget) {
      save();
      if (input.forget && !dryRun) withStore(paths, (db) => forgetSnapshots(db, pattern));
      const effect = dryRun ? "This would ignore" : "C-Mem no longer records";
      const text = `${isNew ? effect : "Already excluded:"} ${pattern}.${storedText(stored, named)}`;
      const counts = { sessions: stored.sessions.size, tool_uses: stored.tool_uses.size };
      respond("ignore", { json, data: { path: pattern, is_new: isNew, stored: counts }, text });
      if (!json) for (const problem of missingFolder(pattern, env)) say(`note: ${problem}`);
      return EXIT.ok;
    }
    const afterAnswer = (): void => {
      save();
      say(`C-Mem no longer records ${pattern}.`);
    };
    return withQueryContext({}, async (context) => {
      const plan = planDeletion(context, { selected: stored });
      const how = { json, yes, dryRun, command: "ignore", namedIn: paths.config, afterAnswer };
      const code = await runForget(context, plan, how);
      if (code === EXIT.ok && !dryRun) forgetSnapshots(context.db, pattern);
      return code;
    });
  },
});

/** Files known only from an agent's snapshots have no tool use, so the deletion set does not include them. */
function forgetSnapshots(db: Db, pattern: string): void {
  const isThere = (root: string, path: string): boolean => covers(pattern, isAbsolute(path) ? path : join(root, path));
  transaction(db, () => deleteSnapshotsWhere(db, isThere));
}

async function wantsForgotten(stored: DeletionSet, json: boolean): Promise<boolean> {
  if (json || !canAsk()) return false;
  return askYesNo(`Also delete what is already stored (${amount(stored)})? You see the list first.`, {
    isDestructive: true,
  });
}

function remove(paths: Paths, pattern: string, before: readonly string[], json: boolean): number {
  if (!before.includes(pattern)) {
    throw new AppError("nothing_found", `${pattern} is not on the list.`, { hint: "c-mem ignore --list shows it." });
  }
  const left = before.filter((one) => one !== pattern);
  writeSetting(paths.config, "excludePaths", left.length === 0 ? undefined : left);
  const text = `C-Mem records ${pattern} again.`;
  return respond("ignore", { json, data: { path: pattern, removed: true }, text });
}

function list(paths: Paths, env: Env, json: boolean): number {
  const place = findPlace(process.cwd());
  const loaded = loadSettings({ user: paths.config, project: place.projectFiles }, env);
  const reason = offReason(place, loaded, env);
  const ignored = loaded.values.excludePaths;
  if (json)
    printJson("ignore", { results: ignored, here: { recorded: reason === undefined, because: reason ?? null } });
  else {
    for (const pattern of ignored) print(pattern);
    say(
      ignored.length === 0
        ? "No paths are ignored in your settings."
        : `${count(ignored.length, "pattern")} in ${paths.config}.`,
    );
    say(reason === undefined ? "C-Mem records this folder." : `C-Mem does not record this folder: ${reason}.`);
  }
  return EXIT.ok;
}

/** '["~/clients/**"]' (a list as for `config set excludePaths`) -> ~/clients/** */
function onePath(word: string): string {
  const items = word.trim().startsWith("[") && !existsSync(word) ? parseList(word) : undefined;
  if (items === undefined) return word;
  if (items.length === 1 && items[0] !== undefined) return items[0];
  throw new AppError("usage", "`c-mem ignore` takes one path at a time.", {
    hint: `For several: c-mem config set excludePaths '["~/a", "~/b"]'`,
  });
}

function projectRoot(): string {
  const { tree, folder } = findPlace(process.cwd());
  return tree?.mainTop ?? folder;
}

/** The pattern as stored in the settings: absolute, or beginning with "~" or "**". */
function fullPattern(named: string): string {
  if (named.startsWith("~")) return named;
  // A pattern that begins with "**" matches in every folder.
  return named.startsWith("**") ? named : resolve(named);
}

function amount({ sessions, tool_uses: toolUses }: DeletionSet): string {
  const parts = [
    sessions.size > 0 && count(sessions.size, "session"),
    toolUses.size > 0 && count(toolUses.size, "tool use"),
  ];
  return parts.filter((part) => part !== false).join(", ");
}

function storedText(stored: DeletionSet, named: string): string {
  const isAny = stored.sessions.size + stored.tool_uses.size > 0;
  return isAny ? `\nAlready stored: ${amount(stored)}. To delete that: c-mem ignore ${named} --forget` : "";
}
