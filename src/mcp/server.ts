// The MCP server: lists the tools, runs them, and turns errors into answers the model can read.
import { fileURLToPath } from "node:url";
import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  type InputRequiredResult,
  inputResponse,
  Server,
} from "@modelcontextprotocol/server";
import type { Env, Paths } from "../config/paths.ts";
import { AppError, usageError } from "../core/error.ts";
import { terminalSafe } from "../core/terminal.ts";
import { estimateTokens } from "../core/tokens.ts";
import { VERSION } from "../core/version.ts";
import type { Store } from "../queries/cached-store.ts";
import type { EmbeddingCache } from "../queries/embedding-cache.ts";
import { type Answer, type Args, type Consent, errorText, readArgs } from "./tool.ts";
import INSTRUCTIONS from "./instructions.md";
import { TOOLS } from "./tools.ts";
import { safeLine, safeLines } from "./text.ts";

const ROOTS_TIMEOUT_MS = 1_000;
const CONFIRM = "confirm";
const DEFAULT_TOKENS = 2_000;
/** `catchUp` has updated the search index before the call. */
const NO_INDEXING = { maxMs: 0 };

export interface ServerContext {
  store: Store;
  embeddings: EmbeddingCache;
  paths: Paths;
  env: Env;
  cwd: string;
}

export function createServer(context: ServerContext): Server {
  const server = new Server(
    { name: "c-mem", title: "C-Mem", version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS.trim() },
  );
  const unconfirmed = new Set<string>();
  let folder: Promise<string> | undefined;
  server.setNotificationHandler("notifications/roots/list_changed", () => {
    folder = undefined;
  });
  server.setRequestHandler("tools/list", () => ({ tools: TOOLS.map(({ definition }) => definition) }));
  server.setRequestHandler("tools/call", async ({ params }, { mcpReq }) => {
    try {
      folder ??= clientFolder(server, context.cwd);
      const envelope = mcpReq.envelope as Record<string, unknown> | undefined;
      const answer = inputResponse(mcpReq.inputResponses, CONFIRM);
      const consent: Consent = {
        canAsk: canAsk(envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities()),
        answer: answer.kind !== "elicit" ? undefined : answer.action === "accept" ? "accept" : "decline",
        unconfirmed,
      };
      return resultOf(await run(context, params, { cwd: await folder, consent }));
    } catch (error) {
      return errorResult(error);
    }
  });
  return server;
}

async function run(
  { store, ...context }: ServerContext,
  params: { name: string; arguments?: Args | undefined },
  client: { cwd: string; consent: Consent },
): Promise<Answer> {
  const { name, arguments: args = {} } = params;
  const tool = TOOLS.find(({ definition }) => definition.name === name);
  if (tool === undefined) {
    const names = TOOLS.map(({ definition }) => definition.name).join(", ");
    throw usageError(`Unknown tool "${safeLine(name, 60)}".`, `Tools: ${names}`);
  }
  const input = readArgs(tool.fields, args);
  const maxTokens = (input["max_tokens"] as number | undefined) ?? DEFAULT_TOKENS;
  return await store.use(async (db, notes) => {
    const footer = notes.length === 0 ? "" : `\n(${notes.join(" ")})`;
    const tokens = maxTokens - estimateTokens(footer);
    const call = { ...context, ...client, db, indexing: NO_INDEXING, now: Date.now(), maxTokens: tokens };
    const answer = await tool.run(input, call);
    return "text" in answer ? { ...answer, text: answer.text + footer } : answer;
  }, tool);
}

function resultOf(answer: Answer): CallToolResult | InputRequiredResult {
  if ("text" in answer) {
    return { content: [{ type: "text", text: answer.text }], ...(answer.isError && { isError: true }) };
  }
  // A form without fields: accepting it means consent.
  const question = inputRequired.elicit({
    message: answer.question,
    requestedSchema: { type: "object", properties: {} },
  });
  return inputRequired({ inputRequests: { [CONFIRM]: question } });
}

/** Prints the stack of an unexpected error to stderr: clients log it. */
function errorResult(error: unknown): CallToolResult {
  const message =
    error instanceof AppError
      ? errorText(error)
      : `Internal error of C-Mem: ${error instanceof Error ? error.message : String(error)}`;
  if (!(error instanceof AppError))
    console.error(terminalSafe(error instanceof Error ? (error.stack ?? error.message) : String(error)));
  return { content: [{ type: "text", text: safeLines(message).slice(0, MAX_ERROR_CHARS) }], isError: true };
}

const MAX_ERROR_CHARS = 2_000;

/** `elicitation: {}` means that the client supports forms. */
function canAsk(capabilities: unknown): boolean {
  const { elicitation } = (capabilities ?? {}) as { elicitation?: { form?: unknown; url?: unknown } };
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

/** The client's first root, otherwise the folder in which the client started the server. */
async function clientFolder(server: Server, cwd: string): Promise<string> {
  if (server.getClientCapabilities()?.roots === undefined) return cwd;
  try {
    const { roots } = await server.listRoots(undefined, { timeout: ROOTS_TIMEOUT_MS });
    const root = roots.find(({ uri }) => uri.startsWith("file:"));
    return root === undefined ? cwd : fileURLToPath(root.uri);
  } catch {
    // Newer protocols do not have this request, and some clients do not answer it.
    return cwd;
  }
}
