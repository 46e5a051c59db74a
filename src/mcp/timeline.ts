// timeline (layer 2): what happened before and after an item, turn by turn, across sessions.
import { commandForm } from "../core/shell-command.ts";
import { listText } from "../core/text.ts";
import { titleOf } from "../core/title.ts";
import { fields, type InputOf } from "../queries/fields.ts";
import { changeText, shortIdsOf } from "../queries/session-text.ts";
import { timeline as query, type Turn } from "../queries/timeline.ts";
import type { Db } from "../store/db/driver.ts";
import { findItem } from "../store/reads/items.ts";
import type { ShortId } from "../store/reads/short-ids.ts";
import { observationsOfTurn } from "../store/tables/observations.ts";
import { BACKGROUND, footer, fitReply } from "./budget.ts";
import { type Answer, type Call, defineTool, MAX_TOKENS, PROJECT, runQuery, scopeOf, pickFields } from "./tool.ts";
import { safeLine, pathLine, quotedLine, titleLine, when } from "./text.ts";

const PROMPT_CHARS = 160;
const FILES_SHOWN = 5;
const FAILED_SHOWN = 2;
const OBSERVATIONS_SHOWN = 6;

const DEPTH = { kind: "number", min: 0, max: 50, clamp: true } as const;

const FIELDS = fields({
  ...pickFields(query.fields, { anchor: "an id (o78, p12, t56, session) or words; default: the latest", type: "" }),
  depth_before: { ...DEPTH, about: "turns, default 5" },
  depth_after: { ...DEPTH, about: "" },
  ...PROJECT,
  ...MAX_TOKENS,
});

export const timeline = defineTool({
  name: "timeline",
  description: "Layer 2. What happened before and after something, turn by turn, across sessions.",
  fields: FIELDS,
  unlisted: ["type", "max_tokens"],
  annotations: { readOnlyHint: true },
  run: describeTurns,
});

async function describeTurns(input: InputOf<typeof FIELDS>, call: Call): Promise<Answer> {
  const { db, now, maxTokens } = call;
  const { data } = await runQuery(query, input, call);
  const turns = data.results;
  const first = turns.findIndex((turn) => turn.is_anchor);
  const last = turns.findLastIndex((turn) => turn.is_anchor);
  // The turns nearest to the anchor are included first.
  const distance = (index: number): number =>
    first === -1
      ? Math.abs(index - turns.length / 2)
      : index < first
        ? (first - index) * 2
        : Math.max(0, index - last) * 2 + 1;
  const shortId = shortIdsOf(db, turns);
  const about =
    input.anchor === undefined ? `the latest in ${scopeOf(input, call).where}` : `"${safeLine(input.anchor, 80)}"`;
  return {
    text: fitReply(
      {
        head: `Around ${about}, oldest first; > marks the anchor. ${BACKGROUND}`,
        parts: turns.map((turn, index) => ({ text: turnText(db, turn, now, shortId), rank: distance(index) })),
        foot: footer("Next: get_observations(ids: [...]) gives the detail of any id here."),
      },
      maxTokens,
    ),
  };
}

function turnText(db: Db, turn: Turn, now: number, shortId: ShortId): string {
  const mark = turn.is_anchor ? ">" : "-";
  const lines = [
    `${mark} ${turn.id}  ${when(turn.at, now)}  ${safeLine(titleOf(turn.prompt), PROMPT_CHARS)}  [${turn.agent} ${shortId(turn.session_id)} turn ${turn.turn}]`,
  ];
  const prompt = findItem(db, turn.id);
  const all = prompt === undefined ? [] : observationsOfTurn(db, prompt.session_db_id, prompt.prompt_number);
  const observations = all.filter((row) => row.is_current);
  for (const row of observations.slice(0, OBSERVATIONS_SHOWN))
    lines.push(`    o${row.id} ${row.type}: ${titleLine(row, 100)}`);
  if (observations.length > OBSERVATIONS_SHOWN)
    lines.push(`    and ${observations.length - OBSERVATIONS_SHOWN} more observations`);
  const files = turn.files.map((file) => pathLine(file.path, 80) + changeText(file));
  if (files.length > 0) lines.push(`    files: ${listText(files, FILES_SHOWN)}`);
  for (const { id, command, exit_code: code, error } of turn.failed.slice(0, FAILED_SHOWN))
    lines.push(`    failed: ${quotedLine(commandForm(command), 80)} exit ${code}: ${quotedLine(error, 120)} ${id}`);
  for (const commit of turn.commits)
    lines.push(`    commit ${commit.sha.slice(0, 9)} ${safeLine(commit.subject, 100)}`);
  return lines.join("\n");
}
