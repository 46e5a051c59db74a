// install.json: which Node the hooks run with, and what uninstall restores.
import { readJson } from "../read-file.ts";
import { replaceJson } from "../replace-file.ts";
import type { Env } from "../../config/paths.ts";

export interface InstallRecord {
  version: string;
  node: string;
  installedAt: number;
  /** Set if the user declined to import older sessions: the worker skips transcripts last written before this time. */
  historySince?: number;
  /** Keyed by Claude Code's config folder, as one machine may have several. */
  sites: Record<string, InstalledSite>;
  /** Agents other than Claude Code, by their id. */
  agents?: Record<string, InstalledAgent>;
}

export interface InstalledAgent {
  /** The files that were changed, by their path. */
  files: Record<string, ChangedFile>;
  /** Folders created for these files, the innermost last. */
  folders: string[];
  /** Git working trees that C-Mem was installed for. */
  projects: { top: string; exclude?: string; gitDir?: string }[];
}

export interface ChangedFile {
  /** The path of a copy of the original; null if there was no file. */
  backup: string | null;
  /** Hash of the file right after the install; null if it was changed after the first install. */
  hash: string | null;
}

export interface InstalledSite {
  method: "plugin" | "settings";
  /** The path of a copy of the original settings; null if there were none. */
  backup: string | null;
  /** Hash of the settings right after the install; null until it is known. */
  settingsHash: string | null;
  /** True if the install created the config folder. */
  madeFolder?: boolean;
}

export function readInstall(path: string): InstallRecord | undefined {
  const value = readJson<InstallRecord>(path);
  return typeof value?.node === "string" && typeof value.sites === "object" ? (value as InstallRecord) : undefined;
}

/** C-Mem sets this variable for a process that it starts with another Node. Such a process does not start a third. */
export const HANDED_OVER = "C_MEM_HANDED_OVER";

/** The Node that `install` found. Undefined if this process runs with it, or was started to try it. */
export function fallbackNode(installRecord: string, env: Env): string | undefined {
  const node = readInstall(installRecord)?.node;
  return node === process.execPath || env[HANDED_OVER] !== undefined ? undefined : node;
}

export function writeInstall(path: string, record: InstallRecord): void {
  replaceJson(path, record);
}
