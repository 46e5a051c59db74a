// Keeps the server open to its owner while others hold connections open: all come from 127.0.0.1, so no address tells them apart.
// A connection counts as the owner's once a request on it had the token or the cookie. Of the others the oldest are closed.
import type { IncomingMessage, Server } from "node:http";
import type { Socket } from "node:net";

/** Connections without the token or cookie. A browser opens six before it has the cookie. */
const MAX_UNKNOWN = 128;
/** How long each has to say who it is, on a busy machine. */
const GRACE_MS = 1_000;
const LOOK_MS = 50;
/** Beyond that none is waited for: every connection takes a file descriptor. */
const MAX_AT_ONCE = 768;

/** To be called with every request, before it is answered. */
export function limitConnections(
  server: Server,
  isOwner: (request: IncomingMessage) => boolean,
): (request: IncomingMessage) => void {
  /** Since when, oldest first; one that has sent a whole request counts as new. */
  const unknown = new Map<Socket, number>();
  let timer: NodeJS.Timeout | undefined;
  const closeOldest = (limit: number, before: number): void => {
    for (const [socket, since] of unknown) {
      if (unknown.size <= limit || since > before) return;
      unknown.delete(socket);
      socket.destroy();
    }
  };
  const look = (): void => {
    closeOldest(MAX_UNKNOWN, performance.now() - GRACE_MS);
    timer = unknown.size > MAX_UNKNOWN ? setTimeout(look, LOOK_MS).unref() : undefined;
  };
  server.on("connection", (socket: Socket) => {
    unknown.set(socket, performance.now());
    socket.once("close", () => unknown.delete(socket));
    closeOldest(MAX_AT_ONCE, Infinity);
    if (unknown.size > MAX_UNKNOWN) timer ??= setTimeout(look, LOOK_MS).unref();
  });
  return (request) => {
    const { socket } = request;
    if (unknown.delete(socket) && !isOwner(request)) unknown.set(socket, performance.now());
  };
}
