// The tools an agent sees. Every word here is paid for in every session that loads them: a test keeps them short.
import type { Tool } from "@modelcontextprotocol/server";
import { AGENTS } from "../agents/spec.ts";
import { OBSERVATION_TYPES } from "../core/memory.ts";
import type { Answer, Call } from "./call.ts";
import { fileHistory } from "./file-history.ts";
import { findFix } from "./find-fix.ts";
import { forget } from "./forget.ts";
import { getObservations } from "./get-observations.ts";
import { remember } from "./remember.ts";
import { search, SEARCH_KINDS } from "./search.ts";
import { timeline } from "./timeline.ts";

export interface MemoryTool {
  definition: Tool;
  run(call: Call): Answer | Promise<Answer>;
  /** Arguments that are taken and not listed: other systems call theirs so, and each word of a schema costs tokens. */
  alsoTakes?: readonly string[];
  /** May come before there is any memory. */
  isWriting?: true;
}

type Schema = Tool["inputSchema"];
type Property = Record<string, unknown>;

const text = (description?: string): Property => ({
  type: "string",
  ...(description !== undefined && { description }),
});
const number = (description?: string): Property => ({
  type: "integer",
  ...(description !== undefined && { description }),
});
const flag = (description?: string): Property => ({
  type: "boolean",
  ...(description !== undefined && { description }),
});
const choice = (values: readonly string[]): Property => ({ type: "string", enum: values });
const ids = (description: string): Property => ({ type: "array", items: { type: "string" }, description });

const PROJECT = text('name, or "all"; default: this one');
const MAX_TOKENS = number("of the answer, up to 10000; default 2000");

function schema(properties: Record<string, Property>, required: string[] = []): Schema {
  return { type: "object", properties, ...(required.length > 0 && { required }) } as Schema;
}

const READS = { readOnlyHint: true };

export const TOOLS: readonly MemoryTool[] = [
  {
    definition: {
      name: "search",
      description:
        "Layer 1. Find past decisions, fixes, findings and sessions by words and meaning. Gives a compact index: id, when, type, title, ~tokens. Without a query: the newest.",
      inputSchema: schema({
        query: text(),
        project: PROJECT,
        type: choice(OBSERVATION_TYPES),
        kind: choice(SEARCH_KINDS),
        file: text("only about this path"),
        agent: choice(AGENTS.map(({ id }) => id)),
        since: text("2026-01-31, 3d, 2w"),
        before: text(),
        limit: number("per group, default 10"),
        max_tokens: MAX_TOKENS,
      }),
      annotations: READS,
    },
    run: search,
  },
  {
    definition: {
      name: "timeline",
      description: "Layer 2. What happened before and after something, turn by turn, across sessions.",
      inputSchema: schema({
        anchor: text("an id (o78, p12, t56, session) or words; default: the latest"),
        depth_before: number("turns, default 5"),
        depth_after: number(),
        project: PROJECT,
        max_tokens: MAX_TOKENS,
      }),
      annotations: READS,
    },
    run: timeline,
    alsoTakes: ["query", "type"],
  },
  {
    definition: {
      name: "get_observations",
      description:
        "Layer 3. Full detail with evidence, by ids from search or timeline: observations (o78), prompts, messages, tool uses (p12, m34, t56), sessions. Ask for several at once.",
      inputSchema: schema({ ids: ids("up to 20"), max_tokens: MAX_TOKENS }, ["ids"]),
      annotations: READS,
    },
    run: getObservations,
  },
  {
    definition: {
      name: "file_history",
      description: "Which sessions changed a file and why, and what is known about it.",
      inputSchema: schema(
        {
          path: text(),
          reads: flag("also who only read it"),
          project: PROJECT,
          limit: number(),
          max_tokens: MAX_TOKENS,
        },
        ["path"],
      ),
      annotations: READS,
    },
    run: fileHistory,
  },
  {
    definition: {
      name: "find_fix",
      description: "Where this error was met before and what made it go away.",
      inputSchema: schema(
        { error: text("the line that names it"), project: PROJECT, limit: number(), max_tokens: MAX_TOKENS },
        ["error"],
      ),
      annotations: READS,
    },
    run: findFix,
  },
  {
    definition: {
      name: "remember",
      description:
        "Write something down for later sessions: what the user wants remembered, a decision and why. One thing, in full sentences.",
      inputSchema: schema(
        {
          text: text(),
          title: text("one line that says it all"),
          type: choice(OBSERVATION_TYPES),
          file: text("the path it is about"),
          project: PROJECT,
        },
        ["text"],
      ),
      annotations: { destructiveHint: false },
    },
    run: remember,
    isWriting: true,
  },
  {
    definition: {
      name: "forget",
      description: "Remove things for good, only when the user asks for it. Shows first what would go.",
      inputSchema: schema(
        { ids: ids("o78, p12, m34, t56, session"), confirm: flag("the user has agreed to what was shown") },
        ["ids"],
      ),
      annotations: { destructiveHint: true },
    },
    run: forget,
  },
];
