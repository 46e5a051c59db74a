// Another user of the machine attacks the server: hundreds of open connections, reopened whenever they are closed.
import { connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { createServed, send, type Served, watch } from "../e2e/server-world.ts";

const SLOW_CONNECTIONS = 320;
const DRIP_MS = 100;

/** Opens connections that send `firstBytes`, then a header line every 100 ms. Resolves when all were opened once. */
async function holdOpen({ port }: Served, firstBytes: string): Promise<{ opened: () => number }> {
  const sockets = new Set<Socket>();
  let opened = 0;
  let isOver = false;
  const open = (): Promise<void> =>
    new Promise((done) => {
      const socket = connect(port, "127.0.0.1", () => {
        opened += 1;
        socket.write(firstBytes);
        done();
      });
      sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => {
        sockets.delete(socket);
        done();
        if (!isOver) setImmediate(() => void open());
      });
    });
  const timer = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write("X-Slow: 1\r\n");
  }, DRIP_MS);
  onTestFinished(() => {
    isOver = true;
    clearInterval(timer);
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(Array.from({ length: SLOW_CONNECTIONS }, open));
  return { opened: () => opened };
}

it.each([
  ["send headers slowly", "GET / HTTP/1.1\r\nHost: x\r\n"],
  ["send nothing", ""],
  ["send a body slowly", "POST /api/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n"],
])("answers the owner and keeps the stream open during an attack by connections that %s", async (_, firstBytes) => {
  const served = await createServed();
  const watcher = await watch(served);
  await send(served, "/api/jobs");
  const attack = await holdOpen(served, firstBytes);
  const times: number[] = [];
  for (let round = 0; round < 10; round++) {
    const startedAt = performance.now();
    expect((await send(served, "/api/jobs")).status).toBe(200);
    times.push(performance.now() - startedAt);
  }
  // Checks the median: tests that run in parallel can delay some requests.
  expect(times.toSorted((a, b) => a - b)[5]).toBeLessThan(2_000);
  expect(attack.opened()).toBeGreaterThan(SLOW_CONNECTIONS - 1);
  expect(watcher.isOpen()).toBe(true);
});

it("closes the oldest of many connections without a token, to free file descriptors", async () => {
  const { port } = await createServed();
  const sockets = Array.from({ length: SLOW_CONNECTIONS }, () => connect(port, "127.0.0.1").on("error", () => {}));
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  const open = (): number => sockets.filter((socket) => !socket.closed).length;
  // After one second, the server closes all but 128 connections.
  await expect.poll(open, { timeout: 10_000 }).toBeLessThanOrEqual(128);
  expect(sockets.findIndex((socket) => !socket.closed)).toBeGreaterThan(100);
});
