// file_history: the turns that changed a file with their prompts, and the observations about it.
import { AppError } from "../core/error.ts";
import { count } from "../core/text.ts";
import { titleOf } from "../core/title.ts";
import { blame } from "../queries/blame.ts";
import { fields, type InputOf } from "../queries/fields.ts";
import { observations } from "../queries/observations.ts";
import { locatePath } from "../queries/path-location.ts";
import type { DataOf } from "../queries/query.ts";
import { changeText, conversationOf, shortIdsOf } from "../queries/session-text.ts";
import type { ShortId } from "../store/reads/short-ids.ts";
import { BACKGROUND, footer, fitReply } from "./budget.ts";
import { ALL, type Answer, tryQuery, type Call, defineTool, errorText, MAX_TOKENS, PROJECT, scopeOf } from "./tool.ts";
import { safeLine, titleLine, when } from "./text.ts";

const DEFAULT_LIMIT = 15;
const MAX_OBSERVATIONS = 8;

const FIELDS = fields({
  path: { kind: "text", required: true, about: "" },
  reads: { kind: "flag", about: "also sessions that read it" },
  ...PROJECT,
  limit: { kind: "number", max: 50, clamp: true, about: "" },
  ...MAX_TOKENS,
});

export const fileHistory = defineTool({
  name: "file_history",
  description: "Which sessions changed a file and why, and what is known about it.",
  fields: FIELDS,
  unlisted: ["limit", "max_tokens"],
  annotations: { readOnlyHint: true },
  run: describeFile,
});

async function describeFile(input: InputOf<typeof FIELDS>, call: Call): Promise<Answer> {
  const { path, reads, limit = DEFAULT_LIMIT } = input;
  const { names, project: projectOfPath, isUnknown } = locatePath(call, path);
  const project = input.project ?? (isUnknown ? ALL : projectOfPath?.key);
  const { where } = scopeOf({ project }, call);
  const touched = await tryQuery(blame, { path, reads, limit, project }, call);
  const entries = touched instanceof AppError ? [] : touched.data.results;
  const storedPath = entries[0]?.path ?? (projectOfPath === undefined ? names[1] : names[0]) ?? path;
  const known = await tryQuery(observations, { file: storedPath, limit: MAX_OBSERVATIONS, project }, call);
  const rows = known instanceof AppError ? [] : known.data.results;
  if (touched instanceof AppError && rows.length === 0) return { text: errorText(touched) };
  const paths = [...new Set(entries.map((entry) => entry.path))];
  const form: EntryForm = {
    now: call.now,
    withPath: paths.length > 1,
    shortId: shortIdsOf(call.db, entries),
  };
  // By rank: newest change, best observation, next change, next observation, ...
  const parts = [
    ...rows.map((row, index) => ({
      text: `${row.id}  ${when(row.valid_from, call.now)}  ${row.type}  ${titleLine(row, 120)}`,
      rank: index * 2 + 1,
    })),
    ...entries.map((entry, index) => ({ text: entryText(entry, form), rank: index * 2 })),
  ];
  return {
    text: fitReply(
      {
        head: `${safeLine(paths.join(", ") || storedPath, 300)} in ${where}, newest first. ${BACKGROUND}`,
        parts,
        foot: footer(
          "Next: get_observations(ids: [...]) gives the detail, timeline(anchor: id) what happened around it.",
        ),
      },
      call.maxTokens,
    ),
  };
}

interface EntryForm {
  now: number;
  withPath: boolean;
  shortId: ShortId;
}

function entryText(entry: DataOf<typeof blame>["results"][number], { now, withPath, shortId }: EntryForm): string {
  const did = [
    entry.creates > 0 && "created",
    entry.edits > 0 && count(entry.edits, "edit"),
    entry.reads > 0 && count(entry.reads, "read"),
  ].filter(Boolean);
  const why = entry.prompt === null ? "(no prompt recorded)" : safeLine(titleOf(entry.prompt), 140);
  const by = `${entry.agent} ${shortId(conversationOf(entry))} turn ${entry.turn}${entry.parent_session_id === null ? "" : ", by a subagent"}`;
  const commits = entry.commits.map(({ sha, subject }) => `\n    commit ${sha.slice(0, 9)} ${safeLine(subject, 100)}`);
  const path = withPath ? `  ${safeLine(entry.path, 120)}` : "";
  return `${entry.prompt_id ?? shortId(entry.session_id)}  ${when(entry.last_at, now)}  ${did.join(", ")}${changeText(entry)}${path}  ${why}  [${by}]${commits.join("")}`;
}
