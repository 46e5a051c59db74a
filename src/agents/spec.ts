// The agents C-Mem knows, one row each.
import type { Env } from "./agent-files.ts";
import { findTranscripts, sessionTranscripts } from "./claude-code/discover.ts";
import { backupPath } from "./claude-code/file-history.ts";
import { claudeCodeReader } from "./claude-code/transcript.ts";
import { codexTranscript, findCodexTranscripts } from "./codex/discover.ts";
import { codexReader } from "./codex/transcript.ts";
import { copilotTranscript, findCopilotHistory, findCopilotTranscripts } from "./copilot-cli/discover.ts";
import { copilotHistoryReader } from "./copilot-cli/history.ts";
import { copilotReader } from "./copilot-cli/transcript.ts";
import { findGeminiTranscripts, geminiTranscript } from "./gemini-cli/discover.ts";
import { geminiReader } from "./gemini-cli/transcript.ts";
import { findOpenCodeTranscripts, openCodeSession } from "./opencode/discover.ts";
import { openCodeReader } from "./opencode/transcript.ts";
import type { DocumentReader, LineReader, TranscriptFile } from "./transcript.ts";

/** One kind of session file. Some agents have several, from different versions. */
export interface TranscriptSource {
  /** Sorted by `newestFirst`. `folders` replaces the agent's own folders. */
  find(env: Env, folders?: readonly string[]): TranscriptFile[];
  /** The files of one session, found by the path in its hook payloads; only for agents with hooks. */
  ofSession?(transcriptPath: string): TranscriptFile[];
  reader: LineReader<unknown> | DocumentReader;
}

export interface AgentSpec {
  id: string;
  label: string;
  sources: readonly TranscriptSource[];
  /** The agent's command to continue a session. */
  resume(sessionId: string): string[];
  /** The path of a file snapshot: the agent's copy of a file from before it changed the file. */
  backupPath?(env: Env, sessionId: string, name: string): string;
}

export const AGENTS: readonly AgentSpec[] = [
  {
    id: "claude-code",
    label: "Claude Code",
    sources: [{ find: findTranscripts, ofSession: sessionTranscripts, reader: claudeCodeReader }],
    resume: (id) => ["claude", "--resume", id],
    backupPath,
  },
  {
    id: "codex",
    label: "Codex CLI",
    sources: [{ find: findCodexTranscripts, ofSession: codexTranscript, reader: codexReader }],
    resume: (id) => ["codex", "resume", id],
  },
  {
    id: "gemini-cli",
    label: "Gemini CLI",
    sources: [{ find: findGeminiTranscripts, ofSession: geminiTranscript, reader: geminiReader }],
    resume: (id) => ["gemini", "--resume", id],
  },
  {
    id: "copilot-cli",
    label: "Copilot CLI",
    sources: [
      { find: findCopilotTranscripts, ofSession: copilotTranscript, reader: copilotReader },
      { find: findCopilotHistory, reader: copilotHistoryReader },
    ],
    resume: (id) => ["copilot", "--resume", id],
  },
  {
    id: "opencode",
    label: "OpenCode",
    sources: [{ find: findOpenCodeTranscripts, ofSession: openCodeSession, reader: openCodeReader }],
    resume: (id) => ["opencode", "--session", id],
  },
  {
    id: "cursor",
    label: "Cursor",
    // Cursor is recorded only through its hooks.
    sources: [],
    resume: (id) => ["cursor-agent", `--resume=${id}`],
  },
];
