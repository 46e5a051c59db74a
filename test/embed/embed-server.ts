// A server with OpenAI's /v1/embeddings on loopback, for tests.
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

/** Answers with what the embedder gives, whatever the model is called. */
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

/** The same, set as the one that a data directory's searches and worker ask. */
export async function serveModel({ home, config }: Paths): Promise<EmbedServer> {
  const server = await startEmbedServer(wordEmbedder("served"));
  mkdirSync(home, { recursive: true });
  writeFileSync(config, JSON.stringify({ embeddings: "openai", embeddingsUrl: server.url, embeddingsModel: "served" }));
  return server;
}
