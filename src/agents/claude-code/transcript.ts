// Reads a Claude Code transcript, line by line, into the same events the hooks give.
import type { Activity, AgentEvent } from "../../core/event.ts";
import { isWhollyPrivate } from "../../core/private-tags.ts";
import { exitCode, isMachinePrompt } from "./event.ts";
import { blocksText, toolOutput, touchedFiles } from "./tool.ts";
import { asId, asObject, asString, type Json, type JsonObject } from "./wire.ts";

interface Call {
  name: string;
  input: Json | undefined;
  at: number;
}

/** What one file's lines have said so far. */
export interface TranscriptState {
  sessionId: string;
  path: string;
  calls: Map<string, Call>;
  promptId: string | undefined;
  /** The newest words of the assistant in this turn; they end it when the next prompt comes. */
  response: { text: string; at: number } | undefined;
  isPrivate: boolean;
  /** Shared between a session's file and its subagents': they work for the same prompts. */
  privatePromptIds: Set<string>;
  header: Pick<AgentEvent, "cwd" | "version" | "agentId" | "branch" | "at">;
}

export function startTranscript(sessionId: string, path: string, privatePromptIds: Set<string>): TranscriptState {
  return {
    sessionId,
    path,
    calls: new Map(),
    promptId: undefined,
    response: undefined,
    isPrivate: false,
    privatePromptIds,
    header: { cwd: "", at: 0 },
  };
}

/** Most bytes of a transcript are copies of requests and notes of the client; only these lines are conversation. */
const CONVERSATION = new Set(["user", "assistant"]);

export function readTranscriptLine(state: TranscriptState, line: unknown): AgentEvent[] {
  const object = asObject(line);
  if (object === undefined || !CONVERSATION.has(asString(object["type"]) ?? "")) return [];
  readHeader(state, object);
  const message = asObject(object["message"]);
  if (message === undefined || object["isMeta"] === true || object["isCompactSummary"] === true) return [];
  return object["type"] === "assistant" ? readAssistant(state, message) : readUser(state, object, message);
}

/** At the end of the file: the last turn ends with what was said last. */
export function endTranscript(state: TranscriptState): AgentEvent[] {
  return endTurn(state);
}

function readHeader(state: TranscriptState, line: JsonObject): void {
  const at = Date.parse(asString(line["timestamp"]) ?? "");
  const agentId = asId(line["agentId"]);
  const version = asString(line["version"]);
  state.header = {
    cwd: asString(line["cwd"]) ?? state.header.cwd,
    at: Number.isNaN(at) ? state.header.at : at,
    branch: asString(line["gitBranch"]) ?? "",
    ...(version !== undefined && { version }),
    ...(agentId !== undefined && { agentId }),
  };
}

function readAssistant(state: TranscriptState, message: JsonObject): AgentEvent[] {
  for (const block of asBlocks(message["content"])) {
    const id = asId(block["id"]);
    const text = asString(block["text"]);
    if (block["type"] === "tool_use" && id !== undefined) {
      state.calls.set(id, { name: asId(block["name"]) ?? "unknown", input: block["input"], at: state.header.at });
    } else if (block["type"] === "text" && text) {
      state.response = { text, at: state.header.at };
    }
  }
  return [];
}

function readUser(state: TranscriptState, line: JsonObject, message: JsonObject): AgentEvent[] {
  const content = message["content"];
  const results = asBlocks(content).filter((block) => block["type"] === "tool_result");
  if (results.length > 0) return results.flatMap((block) => readResult(state, line, block));
  const text = promptText(content);
  // A subagent's own "prompt" is the Agent call of the session that started it.
  if (text === undefined || state.header.agentId !== undefined || line["isSidechain"] === true) return [];
  const ended = endTurn(state);
  state.isPrivate = isWhollyPrivate(text);
  state.promptId = asId(line["promptId"]) ?? asId(line["uuid"]);
  if (state.isPrivate && state.promptId !== undefined) state.privatePromptIds.add(state.promptId);
  if (state.isPrivate) return ended;
  return [...ended, event(state, { kind: "prompt", ...(state.promptId && { promptId: state.promptId }), text })];
}

/** Commands to the client itself: hooks do not see them either. Others are prompts under a name. */
const CLIENT_COMMANDS = new Set(
  (
    "add-dir agents bug clear color compact config context copy cost desktop doctor effort exit export extra-usage fast feedback help hooks ide " +
    "keybindings login logout mcp memory mobile model output-style passes permissions plugin plugins privacy-settings quit rate-limit-options " +
    "reload-plugins release-notes remote-control rename resume rewind sandbox skills stats status statusline stickers tasks terminal-setup theme " +
    "todos upgrade usage vim voice"
  ).split(" "),
);

/** What a person typed, or undefined for what the client wrote in their place. */
function promptText(content: Json | undefined): string | undefined {
  const text =
    typeof content === "string"
      ? content
      : asBlocks(content)
          .map((block) => asString(block["text"]) ?? "")
          .join("\n");
  if (text.trim() === "" || isMachinePrompt(text) || text.startsWith("[Request interrupted")) return undefined;
  const command = /<command-name>([^<]*)<\/command-name>/.exec(text)?.[1]?.trim();
  if (command === undefined) return text;
  if (CLIENT_COMMANDS.has(command.replace(/^\//, ""))) return undefined;
  const args = /<command-args>([\s\S]*?)<\/command-args>/.exec(text)?.[1] ?? "";
  return `${command} ${args}`.trim();
}

function readResult(state: TranscriptState, line: JsonObject, block: JsonObject): AgentEvent[] {
  const id = asId(block["tool_use_id"]);
  const call = id === undefined ? undefined : state.calls.get(id);
  if (id === undefined || call === undefined) return [];
  state.calls.delete(id);
  const promptId = asId(line["promptId"]) ?? state.promptId;
  if (state.isPrivate || (promptId !== undefined && state.privatePromptIds.has(promptId))) return [];
  const failed = block["is_error"] === true;
  const structured = line["toolUseResult"];
  const output =
    failed || asObject(structured) === undefined ? contentText(block["content"]) : toolOutput(call.name, structured);
  const code = call.name === "Bash" ? exitCode(output, failed) : undefined;
  return [
    event(state, {
      kind: "tool-use",
      toolUseId: id,
      ...(promptId !== undefined && { promptId }),
      name: call.name,
      input: call.input ?? {},
      ...(output !== undefined && { output }),
      isError: failed,
      ...(code !== undefined && { exitCode: code }),
      files: failed ? [] : touchedFiles(call.name, call.input, structured),
    }),
  ];
}

function endTurn(state: TranscriptState): AgentEvent[] {
  const { response, promptId, isPrivate } = state;
  state.response = undefined;
  if (response === undefined || isPrivate) return [];
  const activity: Activity = { kind: "turn-end", ...(promptId !== undefined && { promptId }), response: response.text };
  return [{ ...event(state, activity), at: response.at }];
}

function event(state: TranscriptState, activity: Activity): AgentEvent {
  return { agent: "claude-code", sessionId: state.sessionId, transcriptPath: state.path, ...state.header, activity };
}

function contentText(content: Json | undefined): string | undefined {
  if (typeof content === "string") return content;
  return Array.isArray(content) ? blocksText(content) : undefined;
}

function asBlocks(content: Json | undefined): JsonObject[] {
  return Array.isArray(content) ? content.map(asObject).filter((block) => block !== undefined) : [];
}
