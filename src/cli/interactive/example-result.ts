// Made-up results for the tests of the interactive search.
import type { SessionEntry } from "../../store/reads/session-list.ts";
import type { Result } from "./state.ts";

export const NOW = Date.parse("2026-03-10T12:00:00Z");

export function exampleResult(session: Partial<SessionEntry> = {}, promptNumber?: number): Result {
  const at = session.last_at ?? NOW - 3 * 3_600_000;
  return {
    session: {
      id: 1,
      session_id: "0b9d4a52-0000-4000-8000-000000000001",
      parent_session_id: null,
      parent_session_db_id: null,
      project_id: 1,
      report: null,
      agent: "claude-code",
      project: "shop",
      project_key: "github.com/acme/shop",
      title: "Make the cart survive a reload",
      subtitle: null,
      status: "completed",
      prompt_count: 4,
      tool_uses: 12,
      files_changed: 3,
      model: null,
      version: null,
      git_branch: "main",
      cwd: "/work/shop",
      transcript_path: null,
      started_at: at,
      last_at: at,
      ...session,
    },
    at,
    ...(promptNumber !== undefined && { promptNumber }),
  };
}
