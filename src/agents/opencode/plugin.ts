// The plugin that OpenCode loads: sends OpenCode's events to the hook program and injects the answers. Built as
// opencode.cjs. It runs inside OpenCode, on Bun, so each hook is a process on the Node that C-Mem was installed with.
import { spawn } from "node:child_process";
import { asObject, asString, parseJson } from "../../core/json.ts";

/** Runs a hook command. Resolves to the text for the model or undefined; never rejects. */
export type Ask = (command: string, payload: object) => Promise<string | undefined>;

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

/** Tools whose file or command is looked up. */
const LOOKED_UP = new Set(["read", "edit", "write", "bash"]);

export function createHooks(directory: string, ask: Ask) {
  const parents = new Map<string, string>();
  /** Sessions that this process saw start. */
  const started = new Set<string>();
  /** Session id -> the context to inject into its requests. */
  const contexts = new Map<string, Promise<string | undefined>>();
  /** Session id -> the message id and the agent of its latest prompt. */
  const latestPrompts = new Map<string, { messageID: string; agent?: string | undefined }>();
  /** Call id -> the result of its lookup. */
  const lookups = new Map<string, Promise<string | undefined>>();
  /** Hooks that OpenCode must wait for before it exits. */
  const running = new Set<Promise<unknown>>();

  const run = (command: string, sessionID: string, payload: object = {}): Promise<string | undefined> => {
    const session = { sessionID, rootID: rootOf(sessionID, parents), directory, ...latestPrompts.get(sessionID) };
    const answer = ask(command, { ...session, ...payload });
    running.add(answer);
    void answer.finally(() => running.delete(answer));
    return answer;
  };

  return {
    async event({ event }: { event: BusEvent }): Promise<void> {
      const { sessionID, info } = event.properties;
      if (info?.parentID !== undefined) parents.set(info.id, info.parentID);
      if (event.type === "session.created" && info !== undefined) started.add(info.id);
      if (sessionID === undefined) return;
      if (event.type === "session.compacted") contexts.set(sessionID, run("context", sessionID, { source: "compact" }));
      if (event.type === "session.idle") await run("summary", sessionID);
    },

    async "chat.message"(
      { sessionID, agent }: { sessionID: string; agent?: string },
      output: { message: { id: string }; parts: Part[] },
    ): Promise<void> {
      const messageID = output.message.id;
      latestPrompts.set(sessionID, { messageID, agent });
      if (!contexts.has(sessionID)) {
        const source = started.has(sessionID) ? "startup" : "resume";
        contexts.set(sessionID, run("context", sessionID, { source }));
      }
      const text = await run("new", sessionID, { parts: output.parts });
      // OpenCode sorts parts by id, so this one sorts last.
      const id = `${output.parts.at(-1)?.id ?? "prt_"}m`;
      if (text !== undefined) output.parts.push({ id, sessionID, messageID, type: "text", synthetic: true, text });
    },

    async "experimental.chat.system.transform"(
      { sessionID = "" }: { sessionID?: string },
      output: { system: string[] },
    ): Promise<void> {
      const text = await contexts.get(sessionID);
      if (text !== undefined) output.system.push(text);
    },

    /** Looks up while the tool runs. The text is added to the tool's result, the only place for it. */
    "tool.execute.before"({ tool, sessionID, callID }: Tool, { args }: { args: unknown }): Promise<void> {
      if (LOOKED_UP.has(tool)) lookups.set(callID, run("recall", sessionID, { tool, callID, args }));
      return Promise.resolve();
    },

    async "tool.execute.after"(
      { tool, sessionID, callID, args }: Tool & { args: unknown },
      result: { output: string; metadata?: { exit?: unknown } },
    ): Promise<void> {
      const { output, metadata } = result;
      // Only a failed command waits: `save` then answers with context for the error.
      const saveAnswer = run("save", sessionID, { tool, callID, args, output, metadata });
      const hasFailed = typeof metadata?.exit === "number" && metadata.exit !== 0;
      const texts = [await lookups.get(callID), hasFailed ? await saveAnswer : undefined];
      lookups.delete(callID);
      result.output = [output, ...texts.filter((text) => text !== undefined)].join("\n\n");
    },

    async dispose(): Promise<void> {
      await Promise.all(running);
    },
  };
}

const MAX_DEPTH = 20;

/** Subagents may start subagents: returns the session that a person sees. */
function rootOf(id: string, parents: ReadonlyMap<string, string>): string {
  let root = id;
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) root = parents.get(root) ?? root;
  return root;
}

/** OpenCode waits for some hooks, so a hook that takes longer is killed. */
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
    child.on("close", () => {
      const answer = asObject(parseJson(Buffer.concat(chunks).toString()));
      done(asString(answer?.["text"]));
    });
    child.stdin.end(JSON.stringify(payload));
  });
}
