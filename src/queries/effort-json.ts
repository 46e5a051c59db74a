// An effort for a program to read.
import { iso } from "../core/time.ts";
import type { EffortStory } from "../recall/efforts/efforts.ts";
import type { Json } from "./envelope.ts";

export function effortJson(story: EffortStory): Json {
  return {
    id: story.id,
    title: story.title,
    project: story.project,
    branches: story.branches,
    agents: story.agents,
    subagents: story.subagents,
    started_at: iso(story.startedAt),
    last_at: iso(story.lastAt),
    sessions: story.sessions.map(({ session, continues }) => ({
      session_id: session.session_id,
      agent: session.agent,
      title: session.title,
      outcome: session.subtitle,
      git_branch: session.git_branch,
      started_at: iso(session.started_at),
      last_at: iso(session.last_at),
      continues: continues?.session_id ?? null,
      weight: continues?.weight ?? null,
    })),
    decisions: story.decisions.map((one) => ({
      id: `o${one.id}`,
      session_id: one.session_id,
      title: one.title,
      narrative: one.narrative,
      at: iso(one.valid_from),
    })),
    open_ends: story.openEnds,
  };
}
