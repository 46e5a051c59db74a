// The plugin OpenCode loads: hands what happens to the hook program, and what that answers to the model. Built as opencode.cjs.
// It runs inside OpenCode, on Bun, so each hook is a process on the Node that C-Mem was installed with.
import { spawn } from "node:child_process";

/** Answers with the text for the model, if there is any. Never rejects. */
export type Ask = (command: string, payload: object) => Promise<string | undefined>;

/** What is left out here is OpenCode's business. */
interface Part {
  id?: string;
  type: string;
  text?: string;
  synthetic?: boolean;
  [field: string]: unknown;
}
interface Tool {
  tool: string;
  sessionID: string;
  callID: string;
}
interface BusEvent {
  type: string;
  properties: { sessionID?: string; info?: { id: string; parentID?: string } };
}

export function connect(program: { node: string; hook: string }) {
  const ask: Ask = (command, payload) => runHook(program, command, payload);
  return ({ directory }: { directory: string }) => Promise.resolve(createHooks(directory, ask));
}

/** The tools whose files and commands may have a past. */
const LOOKED_UP = new Set(["read", "edit", "write", "bash"]);

export function createHooks(directory: string, ask: Ask) {
  const parents = new Map<string, string>();
  /** Sessions this process has seen the beginning of. */
  const begun = new Set<string>();
  const contexts = new Map<string, Promise<string | undefined>>();
  const prompts = new Map<string, { messageID: string; agent?: string | undefined }>();
  const lookups = new Map<string, Promise<string | undefined>>();
  /** Nobody waits for these, but OpenCode must not leave before they are written. */
  const running = new Set<Promise<unknown>>();

  const about = (sessionID: string) => ({
    sessionID,
    rootID: rootOf(sessionID, parents),
    directory,
    ...prompts.get(sessionID),
  });
  const keep = (answer: Promise<string | undefined>): Promise<string | undefined> => {
    running.add(answer);
    void answer.finally(() => running.delete(answer));
    return answer;
  };

  return {
    async event({ event }: { event: BusEvent }): Promise<void> {
      const { sessionID, info } = event.properties;
      if (info?.parentID !== undefined) parents.set(info.id, info.parentID);
      if (event.type === "session.created" && info !== undefined) begun.add(info.id);
      if (sessionID === undefined) return;
      if (event.type === "session.compacted") {
        contexts.set(sessionID, keep(ask("context", { ...about(sessionID), source: "compact" })));
      }
      if (event.type === "session.idle") await keep(ask("summary", about(sessionID)));
    },

    async "chat.message"(
      input: { sessionID: string; agent?: string },
      output: { message: { id: string }; parts: Part[] },
    ): Promise<void> {
      const { sessionID, agent } = input;
      const messageID = output.message.id;
      prompts.set(sessionID, { messageID, agent });
      if (!contexts.has(sessionID)) {
        const source = begun.has(sessionID) ? "startup" : "resume";
        contexts.set(sessionID, keep(ask("context", { ...about(sessionID), source })));
      }
      const text = await keep(ask("new", { ...about(sessionID), parts: output.parts }));
      // Parts are in the order of their ids.
      const id = `${output.parts.at(-1)?.id ?? "prt_"}m`;
      if (text !== undefined) output.parts.push({ id, sessionID, messageID, type: "text", synthetic: true, text });
    },

    async "experimental.chat.system.transform"(
      input: { sessionID?: string },
      output: { system: string[] },
    ): Promise<void> {
      const text = await contexts.get(input.sessionID ?? "");
      if (text !== undefined) output.system.push(text);
    },

    /** Looked up while the tool runs; nothing can be told before it has. */
    "tool.execute.before"({ tool, sessionID, callID }: Tool, output: { args: unknown }): Promise<void> {
      if (LOOKED_UP.has(tool)) {
        lookups.set(callID, keep(ask("recall", { ...about(sessionID), tool, callID, args: output.args })));
      }
      return Promise.resolve();
    },

    async "tool.execute.after"(
      { tool, sessionID, callID, args }: Tool & { args: unknown },
      output: { output: string; metadata?: { exit?: unknown } },
    ): Promise<void> {
      const { output: printed, metadata } = output;
      const saved = keep(ask("save", { ...about(sessionID), tool, callID, args, output: printed, metadata }));
      const hasFailed = typeof metadata?.exit === "number" && metadata.exit !== 0;
      const told = [await lookups.get(callID), hasFailed ? await saved : undefined];
      lookups.delete(callID);
      for (const text of told) if (text !== undefined) output.output = `${output.output}\n\n${text}`;
    },

    async dispose(): Promise<void> {
      await Promise.all(running);
    },
  };
}

const MAX_DEPTH = 20;

/** Subagents may start subagents; all belong to the session a person sees. */
function rootOf(id: string, parents: ReadonlyMap<string, string>): string {
  let root = id;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) root = parents.get(root) ?? root;
  return root;
}

/** The agent waits for some of these: later than this memory has nothing to say. */
const ANSWER_MS = 5_000;

function runHook({ node, hook }: { node: string; hook: string }, command: string, payload: object) {
  return new Promise<string | undefined>((done) => {
    const child = spawn(node, [hook, command, "--agent", "opencode"], {
      stdio: ["pipe", "pipe", "ignore"],
      windowsHide: true,
      timeout: ANSWER_MS,
    });
    const chunks: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
    child.stdin.on("error", () => {});
    child.on("error", () => done(undefined));
    child.on("close", () => done(textOf(Buffer.concat(chunks).toString())));
    child.stdin.end(JSON.stringify(payload));
  });
}

function textOf(answer: string): string | undefined {
  try {
    const { text } = JSON.parse(answer) as { text?: unknown };
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}
