// A test server on loopback with OpenAI's /v1/embeddings.
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Embedder } from "../../src/embed/embedder.ts";
import type { Paths } from "../../src/config/paths.ts";
import { wordEmbedder } from "./word-embedder.ts";

export interface EmbedServer {
  url: string;
  close(): Promise<void>;
}

/** Returns the embedder's vectors for every model name. */
export async function startEmbedServer(embedder: Embedder): Promise<EmbedServer> {
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (part: string) => (body += part));
    request.on("end", () => {
      const { input } = JSON.parse(body) as { input: string[] };
      void embedder.embed(input).then((vectors) => {
        const data = vectors.map((vector, index) => ({ index, embedding: [...vector] }));
        response.setHeader("content-type", "application/json").end(JSON.stringify({ data }));
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Starts a server, and configures it as the embedding server of a data directory. */
export async function serveModel({ home, config }: Paths): Promise<EmbedServer> {
  const server = await startEmbedServer(wordEmbedder("served"));
  mkdirSync(home, { recursive: true });
  writeFileSync(config, JSON.stringify({ embeddings: "openai", embeddingsUrl: server.url, embeddingsModel: "served" }));
  return server;
}
