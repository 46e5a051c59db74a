// Calls the tools of an MCP server on stdio, as an agent does.
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import type { SearchTool } from "./contestant.ts";
import type { Place } from "./place.ts";

const CALL_TIMEOUT_MS = 20_000;

export interface McpClient {
  /** The text of the reply. */
  call(tool: string, input: Record<string, unknown>): Promise<string>;
  close(): Promise<void>;
}

export async function openClient(place: Place, { server }: SearchTool): Promise<McpClient> {
  const { command, args, env } = server(place);
  const transport = new StdioClientTransport({
    command,
    args,
    env: { ...place.env, ...env },
    cwd: place.project,
    stderr: "ignore",
  });
  const client = new Client({ name: "bench", version: "1" });
  await client.connect(transport, { timeout: CALL_TIMEOUT_MS });
  return {
    async call(name, input) {
      const reply = await client.callTool({ name, arguments: input }, { timeout: CALL_TIMEOUT_MS });
      const parts = reply.content as { text?: string }[];
      const text = parts.map((part) => part.text ?? "").join("\n");
      if (reply.isError === true) throw new Error(`${name}: ${text.slice(0, 200)}`);
      return text;
    },
    close: () => client.close(),
  };
}
