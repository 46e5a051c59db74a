// Nothing is recorded of a turn whose prompt is wholly private. The later hooks of the turn are other processes, so the
// prompt's hook writes a marker file for the session.
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { AgentEvent } from "../../core/event.ts";
import { writePrivate } from "../../platform/private-file.ts";
import { listFolder, readText, statOf } from "../../platform/read-file.ts";
import { sha256 } from "../../platform/crypto.ts";
import { findFallbackSpool, removeFallbackSpool, withFallback, writeWithFallback } from "./spool.ts";

interface Marker {
  /** True while the current turn is private. */
  current: boolean;
  /** Background work of a private prompt may end in a later turn: its events carry these ids. */
  promptIds: string[];
}

/** Limit per session; the oldest are dropped. */
const MAX_PROMPT_IDS = 1_000;

export function isPrivateTurn(
  folder: string,
  { sessionId, activity }: Pick<AgentEvent, "sessionId" | "activity">,
): boolean {
  const promptId = "promptId" in activity ? activity.promptId : undefined;
  return withFallback(folder).some((each) => {
    const marker = readMarker(markerPath(each, sessionId));
    return marker?.current || (promptId !== undefined && marker?.promptIds.includes(promptId));
  });
}

export function beginPrivateTurn(folder: string, sessionId: string, promptId: string | undefined): void {
  const known = readMarker(markerPath(folder, sessionId))?.promptIds ?? [];
  const promptIds = promptId === undefined ? known : [...known, promptId].slice(-MAX_PROMPT_IDS);
  writeWithFallback(folder, (each) =>
    writePrivate(markerPath(each, sessionId), JSON.stringify({ current: true, promptIds })),
  );
}

export function endPrivateTurn(folder: string, sessionId: string): void {
  for (const each of withFallback(folder)) {
    const path = markerPath(each, sessionId);
    const marker = readMarker(path);
    if (!marker?.current) continue;
    try {
      writePrivate(path, JSON.stringify({ ...marker, current: false }));
    } catch {
      // If the marker cannot be changed, the next turn counts as private, too: better than recording private text.
    }
  }
}

/** Hooks may run after their session's end, but not weeks later. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000;

/** Deletes old per-session files of hooks: markers of private turns and lists of shown items. */
export function tidySessionFiles(folders: readonly string[], now: number): void {
  for (const folder of folders) {
    returnFromFallback(folder);
    for (const path of listFolder(folder).map((name) => join(folder, name))) {
      if (now - (statOf(path)?.mtimeMs ?? now) > MAX_AGE_MS) rmSync(path, { force: true });
    }
  }
}

/** Moves markers back that were written to the fallback while the data directory was not writable. */
function returnFromFallback(folder: string): void {
  const fallback = findFallbackSpool(folder);
  if (fallback === undefined) return;
  try {
    for (const name of listFolder(fallback)) {
      const [source, target] = [join(fallback, name), join(folder, name)];
      const [moved, known] = [readMarker(source), readMarker(target)];
      if (moved === undefined) continue;
      const promptIds = [...new Set([...(known?.promptIds ?? []), ...moved.promptIds])];
      const current = moved.current || (known?.current ?? false);
      writePrivate(target, JSON.stringify({ current, promptIds }));
      rmSync(source, { force: true });
    }
  } catch {
    // The data directory is still not writable: a later run moves the rest.
  }
  removeFallbackSpool(fallback);
}

function markerPath(folder: string, sessionId: string): string {
  return sessionFile(folder, sessionId, ".json");
}

function readMarker(path: string): Marker | undefined {
  const text = readText(path);
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as Marker;
  } catch {
    // The file was cut off while being written: count the turn as private.
    return { current: true, promptIds: [] };
  }
}

/** An id from an agent that is not safe as a file name is hashed. */
export function sessionFile(folder: string, sessionId: string, suffix: string): string {
  const name = /^[A-Za-z0-9-]{1,80}$/.test(sessionId) ? sessionId : `x${sha256(sessionId)}`;
  return join(folder, `${name}${suffix}`);
}
