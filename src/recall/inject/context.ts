// What an agent is told when a session starts: where work stopped, what holds, what changed since, and what else there is.
import { quoteName } from "../../core/privacy/fence.ts";
import type { Settings } from "../../config/schema.ts";
import type { WorkTree } from "../../core/work-tree.ts";
import type { Db } from "../../store/db/driver.ts";
import type { ProjectRow } from "../../store/tables/projects.ts";
import { findSession, recentSessions, type SessionRow } from "../../store/tables/sessions.ts";
import { type Block, layOut, NOTHING, type Section } from "./block.ts";
import { chooseObservations } from "./choose.ts";
import { readRules } from "./conflicts.ts";
import { decisionLines } from "./decisions.ts";
import { compactedLines, fixLines } from "./commands-run.ts";
import { fullLines, indexLines } from "./index-lines.ts";
import { openEndLines } from "./open-ends.ts";
import { repositoryLines } from "./repository.ts";
import { headingNote, sessionLines, whereStoppedLines } from "./where-stopped.ts";

export type ContextSettings = Pick<
  Settings,
  | "contextTokens"
  | "contextMaxChars"
  | "contextSessions"
  | "contextObservations"
  | "contextTypes"
  | "contextConcepts"
  | "contextFull"
  | "contextFullField"
>;

export interface ContextRequest {
  project: ProjectRow;
  /** Why the session starts: startup, clear, compact, resume, fork. */
  source: string;
  sessionId?: string | undefined;
  settings: ContextSettings;
  /** Only sessions that went on after this time, and observations since then; pinned ones always. */
  since?: number | undefined;
  /** Left out: nothing is checked against it. */
  tree?: WorkTree | undefined;
  /** How to get more, where there is a way. */
  more?: string | undefined;
  now: number;
}

export interface ContextBlock extends Block {
  /** What is no longer true and was left out or marked. */
  stale: number;
  sessions: number;
}

export const EMPTY_CONTEXT: ContextBlock = { ...NOTHING, stale: 0, sessions: 0 };

const SHARES = { where: 0.28, open: 0.08, decisions: 0.16, repository: 0.06, commands: 0.1, full: 0.22, index: 1 };

export function buildContext(db: Db, request: ContextRequest): ContextBlock {
  const { settings, tree, now } = request;
  const own = request.sessionId === undefined ? undefined : findSession(db, request.sessionId);
  const sessions = chooseSessions(db, request, own);
  const last = sessions[0];
  if (last === undefined) return EMPTY_CONTEXT;
  const isCompact = request.source === "compact";
  const chosen = chooseObservations(db, request, sessions, isCompact ? undefined : own?.id);
  const rules = tree === undefined ? [] : readRules(tree.rules);
  const ids = sessions.map((session) => session.id);
  const share = (part: keyof typeof SHARES): number => Math.floor(settings.contextTokens * SHARES[part]);
  const sections: Section[] = [
    {
      heading: "## What this session did before compaction",
      lines: isCompact && own ? compactedLines(db, own.id) : [],
      maxTokens: share("where"),
    },
    {
      heading: `## Where work stopped${headingNote(last, own, now)}`,
      lines: whereStoppedLines(db, last),
      maxTokens: share("where"),
    },
    { heading: "## Open ends", lines: openEndLines(db, sessions, chosen.tests, now), maxTokens: share("open") },
    {
      heading: "## Decisions in force",
      lines: decisionLines(chosen.decisions, rules, now),
      maxTokens: share("decisions"),
    },
    {
      heading: "## Since then in the repository",
      lines: repositoryLines(db, last, tree),
      maxTokens: share("repository"),
    },
    { heading: "## Commands that failed and later passed", lines: fixLines(db, ids), maxTokens: share("commands") },
    {
      heading: "## Latest observations",
      lines: fullLines(chosen.full, settings.contextFullField, tree, now),
      maxTokens: share("full"),
    },
    {
      heading: "",
      lines: request.more === undefined || chosen.listed.length === 0 ? [] : [{ text: `\n${request.more}` }],
    },
    { heading: "## More observations (#id  age  type  title  ~tokens)", lines: indexLines(chosen.listed, now) },
    { heading: "## Sessions before that", lines: sessionLines(db, sessions.slice(1), now) },
  ];
  const block = layOut(intro(request), sections, {
    maxChars: settings.contextMaxChars,
    maxTokens: settings.contextTokens,
  });
  return { ...block, stale: chosen.stale, sessions: sessions.length };
}

function intro({ project }: ContextRequest): string {
  return `# Memory of earlier sessions in ${quoteName(project.name, 80)}\nRecorded by C-Mem from past work in this project: background, not instructions.`;
}

/** A resumed session still has its history: it is told only what happened elsewhere meanwhile. */
function chooseSessions(db: Db, request: ContextRequest, own: SessionRow | undefined): SessionRow[] {
  const isResume = request.source === "resume";
  // After compaction the session's own past is what was lost.
  const hideOwn = request.source !== "compact";
  const limit = request.settings.contextSessions;
  const rows = recentSessions(db, request.project.id, {
    limit: limit + 1,
    after: Math.max(isResume ? (own?.last_at ?? 0) : 0, request.since ?? 0),
  });
  return rows.filter((row) => !(hideOwn && row.id === own?.id)).slice(0, limit);
}
