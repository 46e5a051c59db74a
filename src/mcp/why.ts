// why: which turns wrote lines of a file, what was asked and decided, and the sessions behind a commit.
import { AppError } from "../core/error.ts";
import { count } from "../core/text.ts";
import { fields, type InputOf } from "../queries/fields.ts";
import type { DataOf } from "../queries/query.ts";
import { conversationOf, shortIdsOf } from "../queries/session-text.ts";
import { NO_COMMIT } from "../queries/why-text.ts";
import { why } from "../queries/why.ts";
import type { ShortId } from "../store/reads/short-ids.ts";
import { BACKGROUND, footer, fitReply } from "./budget.ts";
import { safeLine, when } from "./text.ts";
import { ALL, type Answer, type Call, defineTool, errorText, MAX_TOKENS, PROJECT, tryQuery } from "./tool.ts";

const FIELDS = fields({
  file: { kind: "text", required: true, maxChars: 4_000, about: "or symbol, commit", aliases: ["path", "target"] },
  lines: { kind: "text", about: "10-20" },
  ...PROJECT,
  ...MAX_TOKENS,
});

export const whyTool = defineTool({
  name: "why",
  description: "Who wrote these lines and why.",
  fields: FIELDS,
  unlisted: ["project", "max_tokens"],
  annotations: { readOnlyHint: true },
  run: explain,
});

type Result = DataOf<typeof why>["results"][number];

async function explain({ file, lines, project }: InputOf<typeof FIELDS>, call: Call): Promise<Answer> {
  const found = await tryQuery(why, { target: file, lines, project: project === ALL ? undefined : project }, call);
  if (found instanceof AppError) return { text: errorText(found) };
  const { data, meta } = found;
  const shortId = shortIdsOf(
    call.db,
    data.results.map((one) => (one.session_id === null ? null : { ...one, session_id: one.session_id })),
  );
  const subject = meta.kind === "commit" ? `The commit ${meta.commit?.slice(0, 9)}` : safeLine(meta.path ?? "", 300);
  const seen = new Set<string>();
  const parts = data.results.map((one) => {
    const key = `${one.session_id} ${one.prompt_number}`;
    const isKnown = seen.has(key);
    seen.add(key);
    return { text: resultText(one, { shortId, isKnown, now: call.now }) };
  });
  const foot = footer("Next: get_observations(ids: [...]) shows a prompt or decision in full.");
  const also = meta.also.length === 0 ? "" : ` Also defined in ${safeLine(meta.also.join(", "), 300)}.`;
  const what = `${subject}, ${count(data.results.length, meta.kind === "commit" ? "session" : "range")}.${also} ${BACKGROUND}`;
  return { text: fitReply({ head: what, parts, foot }, call.maxTokens) };
}

interface Form {
  shortId: ShortId;
  /** What the turn is about was said for an earlier range. */
  isKnown: boolean;
  now: number;
}

function resultText(one: Result, { shortId, isKnown, now }: Form): string {
  const range = one.lines === null ? "" : `${one.lines[0] === one.lines[1] ? one.lines[0] : one.lines.join("-")}  `;
  const commit =
    one.commit === null
      ? NO_COMMIT[one.committed]
      : `commit ${one.commit.slice(0, 9)} ${safeLine(one.subject ?? "", 100)}`;
  if (one.session_id === null) {
    const who = one.author === null ? "" : `${safeLine(one.author, 60)}, `;
    return `${range}${who}no recorded session  ${commit}`;
  }
  const id = shortId(conversationOf({ ...one, session_id: one.session_id }));
  const certain =
    one.confidence === null || one.confidence >= 1 ? "" : `, ${Math.round(one.confidence * 100)}% certain`;
  const made = one.lines !== null && one.basis === "commit" ? "committed by " : "";
  const by = `[${made}${one.agent} ${id} turn ${one.prompt_number}${certain}]`;
  const head = `${range}${one.prompt_id ?? ""}  ${one.at === null ? "" : when(one.at, now)}  ${by}  ${commit}`;
  if (isKnown) return head;
  return [
    head,
    `    asked: ${one.prompt === null ? "(no prompt recorded)" : safeLine(one.prompt, 160)}`,
    ...(one.result === null ? [] : [`    result: ${safeLine(one.result, 200)}`]),
    ...(one.decision === null
      ? []
      : [`    ${one.decision.type} ${one.decision.id}: ${safeLine(one.decision.title, 160)}`]),
  ].join("\n");
}
