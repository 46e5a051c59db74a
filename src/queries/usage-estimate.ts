// Estimates how many tokens a day a model would take, from the sizes of recent transcripts.
import { findTranscripts } from "../capture/sync/find-transcripts.ts";
import type { Env } from "../config/paths.ts";
import type { Settings } from "../config/schema.ts";
import { withCommas } from "../core/text.ts";

/**
 * Tokens per kilobyte of transcript. Measured with `rebuild --with-model` on 179 sessions of Claude Code, Codex and
 * Copilot CLI in four projects (153 MB, 837 turns): 27 tokens in and 3 out, the summaries of sessions included.
 */
const TOKENS_PER_KB = 30;

const DAY_MS = 86_400_000;
const MAX_DAYS = 14;

export interface UsageEstimate {
  /** Sessions of the last 14 days; 0: nothing to estimate from. */
  sessions: number;
  bytes: number;
  /** In two significant digits. */
  tokensPerDay: number;
}

interface SessionFile {
  isSubagent: boolean;
  modifiedAt: number;
  bytes: number;
}

/** Only lists files. A model is sent the session itself, not the transcripts of its subagents. */
export function estimateUsage(files: readonly SessionFile[], now: number): UsageEstimate {
  const recent = files.filter(
    ({ isSubagent, modifiedAt }) => !isSubagent && modifiedAt > now - MAX_DAYS * DAY_MS && modifiedAt <= now,
  );
  const bytes = recent.reduce((sum, file) => sum + file.bytes, 0);
  // Of a user who started three days ago, three days count.
  const oldest = Math.min(now, ...recent.map(({ modifiedAt }) => modifiedAt));
  const days = Math.max(1, Math.ceil((now - oldest) / DAY_MS));
  const tokens = ((bytes / 1000) * TOKENS_PER_KB) / days;
  return { sessions: recent.length, bytes, tokensPerDay: Number(tokens.toPrecision(2)) };
}

export function findUsage(env: Env, settings: Pick<Settings, "sessionFolders">, now: number): UsageEstimate {
  return estimateUsage(
    findTranscripts(env, settings).map(({ file }) => file),
    now,
  );
}

/** "about 120,000 tokens a day", "tokens a day unknown, no sessions found yet" */
export function usageText({ sessions, tokensPerDay }: UsageEstimate): string {
  if (sessions === 0) return "tokens a day unknown, no sessions found yet";
  return `about ${withCommas(tokensPerDay)} tokens a day`;
}
