// A turn whose prompt is wholly private leaves no trace. The hooks that follow it are other processes, so the prompt's
// hook leaves a marker file: which session, which prompt ids, and whether the private turn is still the current one.
import { mkdirSync, rmSync } from "node:fs";
import { basename, join } from "node:path";
import type { AgentEvent } from "../../core/event.ts";
import { listFolder, readText, statOf } from "../../platform/read-file.ts";
import { writePrivate } from "../../platform/private-file.ts";
import { sha256 } from "../../platform/crypto.ts";
import { openFallbackSpool, findFallbackSpool, removeFallbackSpool } from "./fallback-spool.ts";

interface Marker {
  /** True until the next prompt that is not private. */
  current: boolean;
  /** Work started by a private prompt may end long after it: those ids stay private. */
  promptIds: string[];
}

/** Ids kept per session; a session with more private prompts than this forgets the oldest. */
const MAX_PROMPT_IDS = 1_000;

export function isPrivateTurn(folder: string, event: AgentEvent): boolean {
  const refuge = findFallbackSpool(folder);
  return isMarked(folder, event) || (refuge !== undefined && isMarked(refuge, event));
}

function isMarked(folder: string, event: AgentEvent): boolean {
  const marker = readMarker(folder, event.sessionId);
  if (marker === undefined) return false;
  const promptId = "promptId" in event.activity ? event.activity.promptId : undefined;
  return marker.current || (promptId !== undefined && marker.promptIds.includes(promptId));
}

export function beginPrivateTurn(folder: string, sessionId: string, promptId: string | undefined): void {
  const known = readMarker(folder, sessionId)?.promptIds ?? [];
  const promptIds = promptId === undefined ? known : [...known, promptId].slice(-MAX_PROMPT_IDS);
  const marker = { current: true, promptIds };
  try {
    writeMarker(folder, sessionId, marker);
  } catch (error) {
    const refuge = openFallbackSpool(folder);
    if (refuge === undefined) throw error;
    writeMarker(refuge, sessionId, marker);
  }
}

export function endPrivateTurn(folder: string, sessionId: string): void {
  for (const place of [folder, findFallbackSpool(folder)]) {
    const marker = place === undefined ? undefined : readMarker(place, sessionId);
    if (place !== undefined && marker?.current) unmark(place, sessionId, marker);
  }
}

/** Where nothing can be written the turn goes on being private: that hides too much, never too little. */
function unmark(folder: string, sessionId: string, marker: Marker): void {
  try {
    writeMarker(folder, sessionId, { ...marker, current: false });
  } catch {
    // The prompt itself is kept elsewhere.
  }
}

/** Hooks may run after their session's end, but not weeks after. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

/** The small files hooks leave per session: private turns, what was shown. */
export function tidySessionFiles(folders: readonly string[], now: number): void {
  for (const folder of folders) {
    returnFromRefuge(folder);
    forgetOldFiles(folder, now);
  }
}

/** Marks from while the data directory took none come to where the others are. */
function returnFromRefuge(folder: string): void {
  const refuge = findFallbackSpool(folder);
  if (refuge === undefined) return;
  try {
    for (const name of listFolder(refuge)) {
      const [there, here] = [readMarkerFile(join(refuge, name)), readMarkerFile(join(folder, name))];
      if (there === undefined) continue;
      const promptIds = [...new Set([...(here?.promptIds ?? []), ...there.promptIds])];
      writeMarkerFile(folder, name, { current: there.current || (here?.current ?? false), promptIds });
      rmSync(join(refuge, name), { force: true });
    }
  } catch {
    // It still takes none: what is not there yet stays where it is.
  }
  removeFallbackSpool(refuge);
}

function forgetOldFiles(folder: string, now: number): void {
  for (const name of listFolder(folder)) {
    const path = join(folder, name);
    if (now - (statOf(path)?.mtimeMs ?? now) > MAX_AGE_MS) rmSync(path, { force: true });
  }
}

function readMarker(folder: string, sessionId: string): Marker | undefined {
  return readMarkerFile(sessionFile(folder, sessionId, ".json"));
}

function readMarkerFile(path: string): Marker | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Marker;
  } catch {
    // Cut off while it was written. When in doubt, private.
    return { current: true, promptIds: [] };
  }
}

function writeMarker(folder: string, sessionId: string, marker: Marker): void {
  writeMarkerFile(folder, basename(sessionFile(folder, sessionId, ".json")), marker);
}

function writeMarkerFile(folder: string, name: string, marker: Marker): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writePrivate(join(folder, name), JSON.stringify(marker));
}

/** Session ids come from outside: only what is safe in a file name on every system, and no two alike. */
export function sessionFile(folder: string, sessionId: string, suffix: string): string {
  const name = /^[A-Za-z0-9-]{1,80}$/.test(sessionId) ? sessionId : `x${sha256(sessionId)}`;
  return join(folder, `${name}${suffix}`);
}
