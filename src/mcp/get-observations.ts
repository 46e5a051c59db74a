// get_observations (layer 3): observations, items and sessions in full, by their ids, with evidence.
import { AppError, nothingFound } from "../core/error.ts";
import { listText } from "../core/text.ts";
import { estimateTokens } from "../core/tokens.ts";
import { findItem, parseObservationId } from "../store/reads/items.ts";
import { BACKGROUND, cutToTokens } from "./budget.ts";
import { itemDetail, observationDetail, sessionDetail } from "./details.ts";
import { safeLine, safeLines } from "./text.ts";
import { type Answer, type Call, checkIds, defineTool, errorText, IDS, MAX_TOKENS } from "./tool.ts";

/** Reserved for separators and the footer. */
const FRAME_TOKENS = 60;
/** A part with fewer tokens is useless. If the budget is too small for all ids, the last ids are left out. */
const MIN_TOKENS = 200;
/** Limit for one error: an ambiguous id lists the sessions that it matches. */
const PROBLEM_TOKENS = 150;

export const getObservations = defineTool({
  name: "get_observations",
  description:
    "Layer 3. Full detail with evidence, for several ids at once: observations (o78), prompts, messages, tool uses (p12, m34, t56), sessions.",
  fields: { ids: { ...IDS, about: "" }, ...MAX_TOKENS },
  annotations: { readOnlyHint: true },
  run: describeAll,
});

async function describeAll({ ids: names }: { ids: string[] }, call: Call): Promise<Answer> {
  const ids = checkIds(names);
  const found: string[] = [];
  const missing: string[] = [];
  const problems: string[] = [];
  let tokensLeft = call.maxTokens - FRAME_TOKENS;
  const count = Math.min(ids.length, Math.max(1, Math.floor(tokensLeft / MIN_TOKENS)));
  for (const [index, id] of ids.slice(0, count).entries()) {
    // Tokens that a short part leaves over are shared by the next parts.
    const part = await describe(id, call, Math.floor(tokensLeft / (count - index)));
    if (typeof part === "string") found.push(part);
    else if (part.code === "nothing_found") missing.push(safeLine(id, 20));
    else problems.push(cutToTokens(safeLines(errorText(part)), PROBLEM_TOKENS));
    tokensLeft -=
      typeof part === "string" ? estimateTokens(part) + 2 : part.code === "nothing_found" ? 10 : PROBLEM_TOKENS;
  }
  if (missing.length > 0) problems.unshift(`There is no ${listText(missing, 5)}. search and timeline show ids.`);
  const left = ids.length - count;
  if (left > 0)
    problems.push(
      `${left} more ${left === 1 ? "id" : "ids"} did not fit: ask for them in another call, or raise max_tokens.`,
    );
  if (found.length === 0) throw nothingFound(problems.join("\n"));
  return { text: [BACKGROUND, ...found, ...problems].join("\n\n") };
}

/** Returns the error, e.g. if the id is unknown or several session ids start with it. */
async function describe(id: string, call: Call, maxTokens: number): Promise<string | AppError> {
  const detail =
    parseObservationId(id) !== undefined
      ? observationDetail
      : findItem(call.db, id) !== undefined
        ? itemDetail
        : sessionDetail;
  try {
    return await detail(id, call, maxTokens);
  } catch (error) {
    if (error instanceof AppError) return error;
    throw error;
  }
}
