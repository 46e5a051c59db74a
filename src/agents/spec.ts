// The agents C-Mem knows, one row each.
import { findTranscripts, sessionTranscripts } from "./claude-code/discover.ts";
import { backupPath } from "./claude-code/file-history.ts";
import { claudeCodeReader } from "./claude-code/transcript.ts";
import { codexTranscript, findCodexTranscripts } from "./codex/discover.ts";
import { codexReader } from "./codex/transcript.ts";
import { copilotTranscript, findCopilotHistory, findCopilotTranscripts } from "./copilot-cli/discover.ts";
import { copilotHistoryReader } from "./copilot-cli/history.ts";
import { copilotReader } from "./copilot-cli/transcript.ts";
import type { Env } from "./agent-files.ts";
import { findGeminiTranscripts, geminiTranscript } from "./gemini-cli/discover.ts";
import { geminiReader } from "./gemini-cli/transcript.ts";
import { findOpenCodeTranscripts, openCodeSession } from "./opencode/discover.ts";
import { openCodeReader } from "./opencode/transcript.ts";
import type { DocumentReader, LineReader, TranscriptFile } from "./transcript.ts";

/** A kind of file an agent keeps its sessions in. Some have had more than one. */
export interface TranscriptSource {
  /** The newest first. `folders`: where to look instead of where the agent keeps its sessions by itself. */
  find(env: Env, folders?: readonly string[]): TranscriptFile[];
  /** The files of one session, by the path its hooks named; only for agents that have hooks. */
  ofSession?(transcriptPath: string): TranscriptFile[];
  reader: LineReader<unknown> | DocumentReader;
}

export interface AgentSpec {
  id: string;
  label: string;
  sources: readonly TranscriptSource[];
  /** The agent's own command for going on with a session. */
  resume(sessionId: string): string[];
  /** Where it keeps the copies of files from before it changed them. */
  backupPath?(env: Env, sessionId: string, name: string): string;
}

export const AGENTS: readonly AgentSpec[] = [
  {
    id: "claude-code",
    label: "Claude Code",
    sources: [
      {
        find: findTranscripts,
        ofSession: sessionTranscripts,
        reader: lines(claudeCodeReader),
      },
    ],
    resume: (id) => ["claude", "--resume", id],
    backupPath,
  },
  {
    id: "codex",
    label: "Codex CLI",
    sources: [{ find: findCodexTranscripts, ofSession: codexTranscript, reader: lines(codexReader) }],
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
      { find: findCopilotTranscripts, ofSession: copilotTranscript, reader: lines(copilotReader) },
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
    // Its hooks tell everything that is known of it.
    sources: [],
    resume: (id) => ["cursor-agent", `--resume=${id}`],
  },
];

/** The state is the reader's own business: whoever stores it only hands it back. */
function lines<State>(reader: LineReader<State>): LineReader<unknown> {
  return reader as unknown as LineReader<unknown>;
}
