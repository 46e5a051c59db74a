import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { resolvePaths } from "../config/paths.ts";
import { readServer, writeServer } from "../platform/state/server-record.ts";
import { startServing } from "./serve.ts";

function createHome(port: number) {
  const home = mkdtempSync(join(tmpdir(), "c-mem-serve-"));
  const env = { HOME: home, C_MEM_HOME: join(home, "data"), C_MEM_PORT: String(port) };
  const said: string[] = [];
  const paths = resolvePaths(env);
  const log = (message: string) => void said.push(message);
  const serve = async () => {
    const serving = await startServing({ paths, env, viewer: home, log, onRequest: () => {}, onWork: () => {} });
    onTestFinished(() => serving.close());
    return serving;
  };
  return { paths, said, serve };
}

function occupy(): Promise<number> {
  return new Promise((done) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      done(typeof address === "object" && address !== null ? address.port : 0);
    });
    onTestFinished(() => void server.close());
  });
}

/** 100 ports apart, so that a server that tries the ports after one does not take another. */
let nextPort = 20_000 + (process.pid % 10_000);
async function freePort(): Promise<number> {
  nextPort += 100;
  const isFree = await new Promise<boolean>((done) => {
    const server = createServer().once("error", () => done(false));
    server.listen(nextPort, "127.0.0.1", () => server.close(() => done(true)));
  });
  return isFree ? nextPort : await freePort();
}

describe("the server", () => {
  it("writes its port to a private file, and records that it stopped", async () => {
    const wanted = await occupy();
    const { paths, serve } = createHome(wanted);
    const serving = await serve();
    const record = readServer(paths.server);
    expect(record).toEqual({
      token: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      port: serving.port,
      wanted,
      pid: process.pid,
    });
    expect(statSync(paths.server).mode & 0o777).toBe(0o600);
    await serving.close();
    expect(readServer(paths.server)).toEqual({ ...record, pid: null });
  });

  it("writes nothing when it stops, if its data directory was deleted or another worker has taken over", async () => {
    const { paths, serve } = createHome(await occupy());
    const serving = await serve();
    rmSync(paths.home, { recursive: true });
    await serving.close();
    expect(existsSync(paths.home)).toBe(false);
    const older = await serve();
    const taken = { token: "0".repeat(64), port: 1, pid: process.pid + 1 };
    writeServer(paths.server, taken);
    await older.close();
    expect(readServer(paths.server)).toEqual(taken);
  });

  it("keeps its token and port when it starts again", async () => {
    const wanted = await occupy();
    const { paths, serve } = createHome(wanted);
    const first = await serve();
    const { token } = readServer(paths.server) ?? {};
    await first.close();
    const second = await serve();
    expect([second.port, readServer(paths.server)?.token]).toEqual([first.port, token]);
  });

  it("keeps a port that the system chose, even if the configured one is free again", async () => {
    const [wanted, chosen] = [await freePort(), await freePort()];
    const { paths, serve } = createHome(wanted);
    writeServer(paths.server, { token: "0".repeat(64), port: chosen, wanted, pid: null });
    expect((await serve()).port).toBe(chosen);
  });

  it("moves to a newly configured port", async () => {
    const [wanted, chosen] = [await freePort(), await freePort()];
    const { paths, serve } = createHome(wanted);
    writeServer(paths.server, { token: "0".repeat(64), port: chosen, wanted: 1, pid: null });
    expect((await serve()).port).toBeGreaterThanOrEqual(wanted);
    expect(readServer(paths.server)?.port).not.toBe(chosen);
  });

  it("creates a new token if the file is damaged", async () => {
    const { paths, serve } = createHome(await occupy());
    writeServer(paths.server, { token: "short", port: 1, pid: 1 });
    await serve();
    expect(readServer(paths.server)?.token).toMatch(/^[0-9a-f]{64}$/);
  });

  it("records the problem if it cannot listen, and does not throw", async () => {
    const { paths, said, serve } = createHome(await occupy());
    writeFileSync(paths.home, "a file where the folder should be");
    expect((await serve()).port).toBeUndefined();
    expect(said.at(-1)).toContain("cannot serve");
    expect(readFileSync(paths.home, "utf8")).toContain("a file");
  });

  it("does not start with port 0", async () => {
    const { paths, said, serve } = createHome(0);
    expect((await serve()).port).toBeUndefined();
    expect([said, readServer(paths.server)]).toEqual([[], undefined]);
  });
});
