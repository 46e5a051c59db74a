// Sends new events to the subscribers of the event stream, and disconnects subscribers that fall behind.
import type { Db } from "../store/db/driver.ts";
import { countJobs } from "../store/tables/jobs.ts";
import { writeVersion } from "../store/db/query-cache.ts";
import type { Store } from "../queries/cached-store.ts";
import { type ChangeEvent, type Cursor, cursorText, newestCursor, parseCursor, readChanges } from "./change-feed.ts";

export interface Client {
  /** False if the client's queue is full: the client is then disconnected. */
  send(text: string): boolean;
  close(): void;
}

export type Live = ReturnType<typeof createLive>;

/** Polls only while there are subscribers. If nothing was written, a poll takes two cheap SQLite queries. */
const POLL_MS = 200;
/** A comment line in this interval keeps connections open. */
const KEEP_ALIVE_MS = 15_000;
/** If a subscriber missed more, reloading the page is cheaper. */
const MAX_CATCH_UP_ROUNDS = 5;

/** The worker drains the spool, so the stream only reads the database. */
const SKIP_DRAIN = { skipDrain: true };

export function createLive(store: Store, log: (message: string) => void) {
  const clients = new Set<Client>();
  const announcedEnds = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let cursor: Cursor | undefined;
  let version = "";
  let jobs = "";
  let aliveAt = 0;
  let isWaiting = false;
  const unsubscribe = (client: Client): void => {
    clients.delete(client);
    if (clients.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    cursor = undefined;
    announcedEnds.clear();
  };
  const sendAll = (text: string): void => {
    for (const client of clients) {
      if (client.send(text)) continue;
      unsubscribe(client);
      client.close();
    }
  };
  const poll = (): void => {
    try {
      store.use((db) => {
        const now = Date.now();
        const before = version;
        version = writeVersion(db);
        if (cursor === undefined || version === before) return;
        // Also moves the cursor.
        const { events, hasMore } = readChanges(db, cursor, announcedEnds, now);
        if (hasMore) version = "";
        if (events.length > 0) sendAll(events.map(eventText).join(""));
        const queue = countJobs(db);
        const text = JSON.stringify(queue);
        if (text !== jobs) sendAll(eventText({ id: cursorText(cursor), ...processing(queue) }));
        jobs = text;
      }, SKIP_DRAIN);
      isWaiting = false;
    } catch (error) {
      // The database is busy or being replaced: the next poll tries again.
      if (!isWaiting) log(`the event stream waits: ${(error as Error).message}`);
      isWaiting = true;
    }
    if (performance.now() - aliveAt > KEEP_ALIVE_MS) {
      aliveAt = performance.now();
      sendAll(": keep-alive\n\n");
    }
  };
  return {
    /** With `lastEventId`: resumes after that event, or sends a `reset` event if it cannot. */
    subscribe(client: Client, lastEventId: string | undefined): void {
      // Moves the shared cursor to now: otherwise the next poll repeats events that this client catches up on below.
      if (timer !== undefined) poll();
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
      }, SKIP_DRAIN);
      clients.add(client);
      aliveAt ||= performance.now();
      timer ??= setInterval(poll, POLL_MS);
    },
    unsubscribe,
    count: () => clients.size,
    /** Sends an event to every subscriber. The event is not stored. */
    broadcast(event: string, data: object): void {
      if (cursor !== undefined) sendAll(eventText({ id: cursorText(cursor), event, data }));
    },
    close(): void {
      clearInterval(timer);
      for (const client of clients) client.close();
      clients.clear();
    },
  };
}

/** Sends the missed events. False if there are too many. */
function catchUp(db: Db, client: Client, from: Cursor): boolean {
  const announcedEnds = new Set<string>();
  for (let round = 0; round < MAX_CATCH_UP_ROUNDS; round++) {
    const { events, hasMore } = readChanges(db, from, announcedEnds, Date.now());
    if (events.length > 0 && !client.send(events.map(eventText).join(""))) return false;
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
function eventText({ id, event, data }: ChangeEvent): string {
  return `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
