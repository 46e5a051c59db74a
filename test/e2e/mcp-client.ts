// Connects the official MCP client to a real server process.
import { type CallToolResult, Client, type ClientCapabilities, type ElicitResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { onTestFinished } from "vitest";
import { BIN, type World } from "./harness.ts";

export interface Connected {
  client: Client;
  pid: number | null;
  call(name: string, args?: Record<string, unknown>): Promise<{ text: string; isError: boolean }>;
}

export interface ConnectOptions {
  cwd?: string;
  env?: Record<string, string>;
  /** The roots that the client reports. */
  root?: string;
  /** The user's answer to a question of the server. */
  elicit?: (message: string) => ElicitResult;
  isModern?: boolean;
  args?: string[];
  command?: string;
}

export async function connect(world: World, options: ConnectOptions = {}): Promise<Connected> {
  const capabilities: ClientCapabilities = {
    ...(options.elicit !== undefined && { elicitation: {} }),
    ...(options.root !== undefined && { roots: {} }),
  };
  const client = new Client(
    { name: "test", version: "1" },
    { capabilities, ...(options.isModern && { versionNegotiation: { mode: { pin: "2026-07-28" } } }) },
  );
  const { elicit, root } = options;
  if (elicit !== undefined)
    client.setRequestHandler("elicitation/create", ({ params }) => elicit((params as { message: string }).message));
  if (root !== undefined)
    client.setRequestHandler("roots/list", () => ({ roots: [{ uri: new URL(`file://${root}`).href }] }));
  const transport = new StdioClientTransport({
    command: options.command ?? process.execPath,
    args: options.args ?? [BIN, "mcp"],
    env: { ...world.env, ...options.env },
    cwd: options.cwd ?? world.project,
    stderr: "inherit",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    client,
    pid: transport.pid,
    async call(name, args = {}) {
      const result = (await client.callTool({ name, arguments: args })) as CallToolResult;
      const [first] = result.content;
      return { text: first?.type === "text" ? first.text : "", isError: result.isError === true };
    },
  };
}
