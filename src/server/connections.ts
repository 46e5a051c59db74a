// Limits the connections without the token or cookie, so that other programs cannot block the server. If there are too
// many, the oldest are closed. A limit per address would not help: all connections come from 127.0.0.1.
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";

/** At most this many connections without the token or cookie. A browser opens six before it has the cookie. */
const MAX_UNKNOWN = 128;
/** A connection is not closed this soon after its last request, or after its start if it sent none. */
const GRACE_MS = 1_000;
const CHECK_MS = 50;
/** With more connections there is no grace time, because each takes a file descriptor. */
const MAX_AT_ONCE = 768;

/** Returns a function to call with every request. */
export function limitConnections(
  server: Server,
  isOwner: (request: IncomingMessage) => boolean,
): (request: IncomingMessage) => void {
  /** Connections without the token or cookie, with the time of their last request, oldest first. */
  const unknown = new Map<Socket, number>();
  let timer: NodeJS.Timeout | undefined;
  const closeOldest = (limit: number, before: number): void => {
    for (const [socket, since] of unknown) {
      if (unknown.size <= limit || since > before) return;
      unknown.delete(socket);
      socket.destroy();
    }
  };
  const check = (): void => {
    closeOldest(MAX_UNKNOWN, performance.now() - GRACE_MS);
    timer = unknown.size > MAX_UNKNOWN ? setTimeout(check, CHECK_MS).unref() : undefined;
  };
  server.on("connection", (socket: Socket) => {
    unknown.set(socket, performance.now());
    socket.once("close", () => unknown.delete(socket));
    closeOldest(MAX_AT_ONCE, Infinity);
    if (unknown.size > MAX_UNKNOWN) timer ??= setTimeout(check, CHECK_MS).unref();
  });
  return (request) => {
    const { socket } = request;
    if (unknown.delete(socket) && !isOwner(request)) unknown.set(socket, performance.now());
  };
}
