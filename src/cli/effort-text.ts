// An effort as people read it.
import type { EffortStory } from "../recall/efforts/efforts.ts";
import type { ShortId } from "../store/reads/short-ids.ts";
import { columns, fit, pad } from "../platform/terminal/layout.ts";
import { count } from "../core/text.ts";
import { dim, heading } from "../platform/terminal/style.ts";
import { listText, titleText, when } from "../queries/session-text.ts";
import { paint } from "../platform/terminal/style.ts";

const BRANCHES_SHOWN = 3;

export function effortLine(story: EffortStory, withProject: boolean): string {
  const width = columns() - 30;
  const facts = [
    count(story.sessions.length, "session"),
    ...(withProject ? [story.project] : []),
    ...(story.branches.length > 0 ? [listText(story.branches, BRANCHES_SHOWN)] : []),
    ...(story.openEnds.length > 0 ? [`${story.openEnds.length} open`] : []),
  ].join(" · ");
  const lines = [
    `${paint("yellow", story.id)}  ${when(story.lastAt)}  ${fit(story.title, width)}`,
    `            ${dim(fit(facts, columns() - 12))}`,
  ];
  const [latest] = story.decisions;
  if (latest !== undefined) lines.push(`            ${dim("decided")} ${fit(latest.title, columns() - 20)}`);
  return lines.join("\n");
}

export function effortText(story: EffortStory, shortId: ShortId): string {
  const about = [
    story.project,
    listText(story.branches, BRANCHES_SHOWN),
    story.agents.join(", "),
    story.subagents > 0 ? count(story.subagents, "subagent") : "",
  ].filter(Boolean);
  const idWidth = Math.max(8, ...story.sessions.map(({ session }) => shortId(session.session_id).length));
  const lines = [
    `${heading(fit(story.title, columns() - 14))}  ${dim(story.id)}`,
    dim(fit(about.join(" · "), columns())),
    "",
    ...story.sessions.map(({ session, continues }) => {
      const perhaps = continues !== undefined && continues.weight < SURE_ENOUGH ? dim(" (perhaps)") : "";
      const came = session.subtitle === null ? "" : ` ${dim(`→ ${session.subtitle}`)}`;
      const text = fit(`${titleText(session)}${came}`, columns() - 22 - idWidth);
      return `${dim(when(session.started_at))}  ${paint("yellow", pad(shortId(session.session_id), idWidth))}  ${text}${perhaps}`;
    }),
  ];
  const list = (name: string, items: readonly { id: string; text: string }[]): void => {
    if (items.length === 0) return;
    lines.push("", heading(name));
    for (const { id, text } of items)
      lines.push(`  ${paint("yellow", pad(id, idWidth))}  ${fit(text, columns() - 4 - idWidth)}`);
  };
  list(
    "Decided",
    story.decisions.map(({ id, title }) => ({ id: `o${id}`, text: title })),
  );
  list(
    "Open",
    story.openEnds.map(({ session_id, text }) => ({ id: shortId(session_id), text })),
  );
  return lines.join("\n");
}

/** Below, a session belongs to the effort by a guess that may be wrong. */
const SURE_ENOUGH = 0.55;
