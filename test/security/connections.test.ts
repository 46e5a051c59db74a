// Another user of the machine who holds hundreds of connections to the server open, and opens them again when they are closed.
import { connect, type Socket } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { ask, createServed, type Served, watch } from "../e2e/server-world.ts";

const SLOW_CONNECTIONS = 320;
const DRIP_MS = 100;

/** Each sends a header now and then and never the last one. Resolves when the server has seen them all. */
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
  ["drip their headers", "GET / HTTP/1.1\r\nHost: x\r\n"],
  ["say nothing", ""],
  ["drip a body", "POST /api/jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n"],
])("accepts the owner and keeps the stream while connections that %s are open", async (_, firstBytes) => {
  const served = await createServed();
  const watcher = await watch(served);
  await ask(served, "/api/jobs");
  const attack = await holdOpen(served, firstBytes);
  const times: number[] = [];
  for (let round = 0; round < 10; round++) {
    const startedAt = performance.now();
    expect((await ask(served, "/api/jobs")).status).toBe(200);
    times.push(performance.now() - startedAt);
  }
  // Half of them: other tests may be at work beside this one.
  expect(times.toSorted((a, b) => a - b)[5]).toBeLessThan(2_000);
  expect(attack.opened()).toBeGreaterThan(SLOW_CONNECTIONS - 1);
  expect(watcher.isOpen()).toBe(true);
});

it("closes the oldest of many connections without the token: each takes a file descriptor", async () => {
  const { port } = await createServed();
  const sockets = Array.from({ length: SLOW_CONNECTIONS }, () => connect(port, "127.0.0.1").on("error", () => {}));
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()));
  const open = (): number => sockets.filter((socket) => !socket.closed).length;
  // Kept for a second, then all but 128 go.
  await expect.poll(open, { timeout: 10_000 }).toBeLessThanOrEqual(128);
  expect(sockets.findIndex((socket) => !socket.closed)).toBeGreaterThan(100);
});
