// What `install` did, kept in the data directory: which Node the hooks run with, and what to put back at uninstall.
import { readFileSync } from "node:fs";
import { replaceFile } from "../replace-file.ts";
import type { Env } from "../../config/paths.ts";

export interface InstallRecord {
  version: string;
  node: string;
  installedAt: number;
  /** Set where the sessions from before were not wanted: older transcripts stay unread. */
  historySince?: number;
  /** By the agent's config folder: one machine may have several. */
  sites: Record<string, InstalledSite>;
  /** Agents other than Claude Code, by their id. */
  agents?: Record<string, InstalledAgent>;
}

export interface InstalledAgent {
  /** The files that were changed, by their path. */
  files: Record<string, ChangedFile>;
  /** Folders that were made for them, the innermost last. */
  folders: string[];
  /** The working trees it was asked for in. */
  projects: { top: string; exclude?: string; gitDir?: string }[];
}

export interface ChangedFile {
  /** A copy from before; null where there was none. */
  backup: string | null;
  /** Of the file right after the install; null where somebody else has changed it since the first one. */
  hash: string | null;
}

export interface InstalledSite {
  method: "plugin" | "settings";
  /** A copy of the settings from before; null where there were none. */
  backup: string | null;
  /** Of the settings right after the install; null until they are known. */
  settingsHash: string | null;
  /** The agent's folder was made for it. */
  madeFolder?: boolean;
}

export function readInstall(path: string): InstallRecord | undefined {
  try {
    const value = JSON.parse(readFileSync(path, "utf8")) as Partial<InstallRecord> | null;
    if (typeof value?.node !== "string" || typeof value.sites !== "object") return undefined;
    return value as InstallRecord;
  } catch {
    return undefined;
  }
}

/** Set for a process that another of ours has started: what `install` noted may be a name for this very Node. */
export const HANDED_OVER = "C_MEM_HANDED_OVER";

/** The Node that `install` has found, for one that cannot open the database: tried once, not for ever. */
export function otherNode(installRecord: string, env: Env): string | undefined {
  const node = readInstall(installRecord)?.node;
  return node === process.execPath || env[HANDED_OVER] !== undefined ? undefined : node;
}

export function writeInstall(path: string, record: InstallRecord): void {
  replaceFile(path, `${JSON.stringify(record, null, 2)}\n`);
}
