// Plans the changes to an agent's files that install or remove C-Mem. Nothing changes until the steps run.
import { createHash } from "node:crypto";
import { chmodSync, copyFileSync, existsSync, mkdirSync, rmdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readSettings, restoreBackup, writeSettings } from "../agents/settings-file.ts";
import type { AgentSetup, ManagedFile, SetupProject, Step } from "../agents/setup.ts";
import type { AgentContext } from "../health/agents.ts";
import { realPathInside, writeInside } from "../agents/work-tree-file.ts";
import type { ChangedFile, InstalledAgent } from "../platform/state/install-record.ts";
import { statOf } from "../platform/read-file.ts";

export interface AgentPlan {
  setup: AgentSetup;
  steps: Step[];
  /** The agent's entry in the install record, before and after the steps run. */
  started(): InstalledAgent;
  installed(): InstalledAgent;
}

/** `here`: the current working tree, for an agent with files per project. */
export function planInstall(
  setup: AgentSetup,
  context: AgentContext,
  known: InstalledAgent | undefined,
  here: SetupProject | undefined,
): AgentPlan {
  const projects = withProject(known?.projects ?? [], setup.perProject ? here : undefined);
  // A deleted working tree is not recreated.
  const files = setup.files(
    context.env,
    context.program,
    projects.filter(({ top }) => existsSync(top)),
  );
  // Reads all files before the first step runs: if one cannot be read, nothing has changed.
  const changes = files.map((file) => changeOf(file, known?.files[file.path], context));
  const record = (isDone: boolean): InstalledAgent => ({
    files: Object.fromEntries(changes.map((change) => [change.file.path, change.entry(isDone)])),
    folders: [...new Set([...(known?.folders ?? []), ...changes.flatMap(({ folders }) => folders)])],
    projects,
  });
  return {
    setup,
    steps: changes.flatMap(({ step }) => step ?? []),
    started: () => record(false),
    installed: () => record(true),
  };
}

interface Change {
  file: ManagedFile;
  step: Step | undefined;
  folders: string[];
  entry(isDone: boolean): ChangedFile;
}

function changeOf(file: ManagedFile, known: ChangedFile | undefined, { backups }: AgentContext): Change {
  if (file.root !== undefined) realPathInside(file.root, file.path);
  const before = readSettings(file.path);
  const isUntouched = known === undefined || known.hash === hashOf(before);
  const needsChange = file.add(before) !== before;
  const backup = known === undefined ? backupPath(file.path, before, backups) : known.backup;
  const step: Step = {
    about: `${file.about} (${file.path})`,
    run() {
      if (backup !== null && !existsSync(backup)) {
        mkdirSync(dirname(backup), { recursive: true, mode: 0o700 });
        copyFileSync(file.path, backup);
        chmodSync(backup, 0o600);
      }
      writeManaged(file, file.add(readSettings(file.path)));
    },
  };
  return {
    file,
    step: needsChange ? step : undefined,
    folders: needsChange ? missingFolders(file.path) : [],
    // A file the user changed since the first install must not be restored by uninstall.
    entry: (isDone) => ({ backup, hash: isDone && isUntouched ? hashOf(readSettings(file.path)) : null }),
  };
}

/** A file inside a repository is written at its real path, never through a link that leads outside. */
function writeManaged({ path, root, isPrivate = false }: ManagedFile, content: string | Buffer): void {
  if (root === undefined) return writeSettings(path, content);
  const mode = isPrivate ? undefined : statOf(path)?.mode;
  writeInside(root, path, content, mode === undefined ? 0o600 : mode & 0o777);
}

/** False if a link leads out of the working tree: install wrote nothing there. */
function isReachable({ path, root }: ManagedFile): boolean {
  if (root === undefined) return true;
  try {
    realPathInside(root, path);
    return true;
  } catch {
    return false;
  }
}

/** Removes C-Mem from every file of this agent. */
export function planRemoval(
  setup: AgentSetup,
  { env, program }: AgentContext,
  known: InstalledAgent | undefined,
): Step[] {
  const files = setup.files(env, program, known?.projects ?? []);
  const steps = files.flatMap((file) => {
    try {
      return removalOf(file, known?.files[file.path]);
    } catch (error) {
      // C-Mem was never installed here: an unreadable file must not block the removal elsewhere.
      if (known === undefined) return [];
      throw error;
    }
  });
  const folders = (known?.folders ?? []).toSorted((a, b) => b.length - a.length);
  if (steps.length === 0 || folders.length === 0) return steps;
  const tidy: Step = {
    about: "delete its folders if they are empty",
    run: () => folders.forEach(removeEmpty),
  };
  return [...steps, tidy];
}

function removalOf(file: ManagedFile, known: ChangedFile | undefined): Step[] {
  const now = readSettings(file.path);
  if (now === undefined || !isReachable(file)) return [];
  const isUntouched = known?.hash === hashOf(now);
  if (isUntouched && (known.backup === null || existsSync(known.backup))) {
    const { backup } = known;
    const about = backup === null ? `delete ${file.path}` : `restore ${file.path}`;
    return [
      {
        about,
        run: () =>
          backup === null ? rmSync(file.path) : restoreBackup(backup, (before) => writeManaged(file, before)),
      },
    ];
  }
  if (file.remove(now) === now) return [];
  return [
    {
      about: `remove c-mem from ${file.path}`,
      run() {
        const rest = file.remove(readSettings(file.path) ?? "");
        if (rest === undefined) rmSync(file.path, { force: true });
        else writeManaged(file, rest);
      },
    },
  ];
}

function withProject(projects: readonly SetupProject[], here: SetupProject | undefined): SetupProject[] {
  const isKnown = here === undefined || projects.some(({ top }) => top === here.top);
  return isKnown ? [...projects] : [...projects, here];
}

/** The hash of the path distinguishes files with the same name. */
function backupPath(path: string, before: string | undefined, backups: string): string | null {
  if (before === undefined) return null;
  const time = new Date().toISOString().replace(/[:.]/g, "-");
  return join(backups, `${hashOf(path)?.slice(0, 8)}-${time}-${basename(path)}`);
}

function missingFolders(path: string): string[] {
  const missing: string[] = [];
  for (let folder = dirname(path); !existsSync(folder) && dirname(folder) !== folder; folder = dirname(folder)) {
    missing.unshift(folder);
  }
  return missing;
}

export function removeEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Not empty.
  }
}

function hashOf(text: string | undefined): string | null {
  return text === undefined ? null : createHash("sha256").update(text).digest("hex");
}
