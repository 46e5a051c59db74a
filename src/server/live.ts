// Those who watch: each gets what is new, and is let go when it does not keep up.
import type { Db } from "../store/db/driver.ts";
import { countJobs } from "../store/tables/jobs.ts";
import { writeVersion } from "../store/db/query-cache.ts";
import type { Store } from "../queries/cached-store.ts";
import { type Cursor, cursorText, parseCursor } from "./cursor.ts";
import { newestCursor, type News, readNews } from "./change-feed.ts";

export interface Client {
  /** False: it has not read what it was sent before; it is let go. */
  send(text: string): boolean;
  close(): void;
}

export interface Live {
  /** From the event with this id on, where it is still known which that was. */
  join(client: Client, lastEventId: string | undefined): void;
  leave(client: Client): void;
  clients(): number;
  /** To everybody, at once; it is not kept. */
  tell(event: string, data: object): void;
  close(): void;
}

/** How often is looked, while somebody watches: one question to SQLite where nothing was written. */
const LOOK_MS = 200;
/** A line now and then shows on both sides that the other is there. */
const ALIVE_MS = 15_000;
/** After a break longer than that, a reader does better to load the page anew. */
const MAX_CATCH_UP_ROUNDS = 5;

/** Drops are brought in by the worker: what it has brought in is the news. */
const AS_IS = { asIs: true };

export function createLive(store: Store, log: (message: string) => void): Live {
  const clients = new Set<Client>();
  const told = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let cursor: Cursor | undefined;
  let version = "";
  let jobs = "";
  let aliveAt = 0;
  let isWaiting = false;
  const leave = (client: Client): void => {
    clients.delete(client);
    if (clients.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    cursor = undefined;
    told.clear();
  };
  const sendAll = (text: string): void => {
    for (const client of clients) {
      if (client.send(text)) continue;
      leave(client);
      client.close();
    }
  };
  const look = (): void => {
    try {
      store.use((db) => {
        const now = Date.now();
        const before = version;
        version = writeVersion(db);
        if (cursor === undefined || version === before) return;
        const { news, hasMore } = readNews(db, cursor, told, now);
        if (hasMore) version = "";
        if (news.length > 0) sendAll(news.map(eventText).join(""));
        const queue = countJobs(db);
        const text = JSON.stringify(queue);
        if (text !== jobs) sendAll(eventText({ id: cursorText(cursor), ...processing(queue) }));
        jobs = text;
      }, AS_IS);
      isWaiting = false;
    } catch (error) {
      // The database is busy, or being replaced: the next look finds out.
      if (!isWaiting) log(`the stream waits: ${(error as Error).message}`);
      isWaiting = true;
    }
    if (performance.now() - aliveAt > ALIVE_MS) {
      aliveAt = performance.now();
      sendAll(": still here\n\n");
    }
  };
  return {
    join(client, lastEventId) {
      // Those who are there have seen all that a new one begins with.
      if (timer !== undefined) look();
      store.use((db) => {
        const newest = newestCursor(db, Date.now());
        cursor ??= newest;
        version ||= writeVersion(db);
        const from = parseCursor(lastEventId, newest);
        const queue = countJobs(db);
        jobs = JSON.stringify(queue);
        client.send(`retry: 2000\n${eventText({ id: cursorText(from ?? cursor), ...processing(queue) })}`);
        if (lastEventId !== undefined && !(from && catchUp(db, client, from)))
          client.send(eventText({ id: cursorText(cursor), event: "reset", data: {} }));
      }, AS_IS);
      clients.add(client);
      aliveAt ||= performance.now();
      timer ??= setInterval(look, LOOK_MS);
    },
    leave,
    clients: () => clients.size,
    tell(event, data) {
      if (cursor !== undefined) sendAll(eventText({ id: cursorText(cursor), event, data }));
    },
    close() {
      clearInterval(timer);
      for (const client of clients) client.close();
      clients.clear();
    },
  };
}

/** False where too much was missed to tell it all. */
function catchUp(db: Db, client: Client, from: Cursor): boolean {
  const told = new Set<string>();
  for (let round = 0; round < MAX_CATCH_UP_ROUNDS; round++) {
    const { news, hasMore } = readNews(db, from, told, Date.now());
    if (news.length > 0 && !client.send(news.map(eventText).join(""))) return false;
    if (!hasMore) return true;
  }
  return false;
}

function processing(queue: ReturnType<typeof countJobs>): { event: string; data: object } {
  return {
    event: "processing_status",
    data: { is_processing: queue.pending + queue.running > 0, by: "worker", ...queue },
  };
}

/** JSON has no line breaks, so an event's data is one line. */
function eventText({ id, event, data }: News): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
