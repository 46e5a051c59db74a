// The entry point of the MCP server: runs over stdio until the client disconnects.
import { spawnSync } from "node:child_process";
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { HANDED_OVER, fallbackNode } from "../platform/state/install-record.ts";
import { createStore, drainBriefly } from "../queries/cached-store.ts";
import { createEmbeddingCache } from "../queries/embedding-cache.ts";
import { type Paths, resolvePaths } from "../config/paths.ts";
import { makePrivate } from "../platform/private-file.ts";
import { count } from "../core/text.ts";
import { terminalSafe } from "../core/terminal.ts";
import { VERSION } from "../core/version.ts";
import { type Db, hasSqlite } from "../store/db/driver.ts";
import { updateSearchIndex } from "../store/fts/search-index.ts";
import { deriveNewest } from "../memory/derive.ts";
import { createServer } from "./server.ts";

function main(args: readonly string[], env: NodeJS.ProcessEnv): void {
  if (args.includes("--version")) {
    console.log(VERSION);
    return;
  }
  const paths = resolvePaths(env);
  const node = hasSqlite() ? undefined : fallbackNode(paths.install, env);
  if (node !== undefined) {
    const { status } = spawnSync(node, process.argv.slice(1), {
      stdio: "inherit",
      windowsHide: true,
      env: { ...env, [HANDED_OVER]: "1" },
    });
    process.exitCode = status ?? 1;
    return;
  }
  if (process.stdin.isTTY) console.error("This is an MCP server for agents, on stdin and stdout. Ctrl-D stops it.");
  makePrivate(paths.home);
  const store = createStore(paths, catchUp);
  const embeddings = createEmbeddingCache(paths, env);
  process.on("exit", () => {
    store.close();
    embeddings.close();
  });
  // By default a signal ends the process without running its "exit" handlers.
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, () => process.exit(0));
  serveStdio(() => createServer({ store, embeddings: embeddings.cache, paths, env, cwd: process.cwd() }), {
    // stdout is reserved for the protocol.
    onerror: (error) => console.error(terminalSafe(error.message)),
  });
}

const INDEX_MS = 2_000;
const DERIVE_MS = 500;

/** Before a tool runs: drains the spool, updates the search index, derives the newest observations. */
function catchUp(db: Db, paths: Paths): string[] {
  const notes = drainBriefly(db, paths);
  updateSearchIndex(db, { maxMs: INDEX_MS });
  const notDerived = deriveNewest(db, undefined, DERIVE_MS);
  if (notDerived === 0) return notes;
  return [...notes, `No observations yet for ${count(notDerived, "session")}; search finds their turns.`];
}

main(process.argv.slice(2), process.env);
