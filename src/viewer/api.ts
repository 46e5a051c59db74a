// Requests to the worker's API.
import { type ReadonlySignal, signal, useComputed, useSignal, useSignalEffect } from "@preact/signals";
import type { DataOf, MetaOf } from "../queries/query.ts";

export type { DataOf, MetaOf };

export interface Reply<Data, Meta = unknown> {
  data: Data;
  meta: Meta;
}

/** The type of the rows in a query's `results`: `RowOf<typeof projects>`. */
export type RowOf<Q> = DataOf<Q> extends { results: (infer Row)[] } ? Row : never;

/** An error with a message and a hint for the user. */
export class ApiError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  constructor(code: string, message: string, hint?: string) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

/** True after the worker answered with status 401. `c-mem open` signs the browser in. */
export const isSignedOut = signal(false);

export async function send<Data, Meta = unknown>(
  method: "POST" | "PATCH" | "PUT" | "DELETE",
  path: string,
  body?: unknown,
): Promise<Reply<Data, Meta>> {
  return await get<Data, Meta>(path, {
    method,
    // Needed without a body, too: the worker rejects every content type that a form on another site can send.
    headers: { "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

interface LoadState<Data, Meta> {
  /** The latest reply. It stays while the next one loads; after an error it is undefined. */
  reply: Reply<Data, Meta> | undefined;
  error: ApiError | undefined;
  isLoading: boolean;
}

export interface LoadHandle<Data, Meta = unknown> {
  load: ReadonlySignal<LoadState<Data, Meta>>;
  /** Sends the request again. The current reply stays until the new one arrives. */
  reload: () => void;
  /** Sends the request again with a higher limit. */
  showMore?: () => void;
}

/**
 * Loads the reply of a query: `useLoad<typeof list>(() => "/api/sessions")`. Loads again whenever a signal that `path`
 * reads changes. Loads nothing if `path` returns undefined. Ignores replies to older requests. Until the new reply
 * arrives, the last reply of this path is shown, else the previous path's.
 */
export function useLoad<Q>(path: () => string | undefined): LoadHandle<DataOf<Q>, MetaOf<Q>> {
  const currentPath = useComputed(path);
  const reloads = useSignal(0);
  const load = useSignal<LoadState<DataOf<Q>, MetaOf<Q>>>({ reply: undefined, error: undefined, isLoading: true });
  useSignalEffect(() => {
    const requested = currentPath.value;
    void reloads.value;
    if (requested === undefined) {
      load.value = { reply: undefined, error: undefined, isLoading: false };
      return undefined;
    }
    const abort = new AbortController();
    const cached = recent.get(requested) as Reply<DataOf<Q>, MetaOf<Q>> | undefined;
    load.value = { reply: cached ?? load.peek().reply, error: undefined, isLoading: true };
    get<DataOf<Q>, MetaOf<Q>>(requested, { signal: abort.signal }).then(
      (reply) => {
        if (abort.signal.aborted) return;
        cacheReply(requested, reply);
        load.value = { reply, error: undefined, isLoading: false };
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        load.value = { reply: undefined, error: asApiError(error), isLoading: false };
      },
    );
    return () => abort.abort();
  });
  return {
    load,
    reload: () => {
      // Not `+=`: an effect that calls this would then depend on `reloads` and loop.
      reloads.value = reloads.peek() + 1;
    },
  };
}

export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError("internal", String(error));
}

/** Replies by path, of the last paths loaded. Shown immediately when the user returns to a page. */
const recent = new Map<string, Reply<unknown, unknown>>();
const MAX_RECENT = 50;

function cacheReply(path: string, reply: Reply<unknown, unknown>): void {
  recent.delete(path);
  recent.set(path, reply);
  const oldest = recent.keys().next().value;
  if (recent.size > MAX_RECENT && oldest !== undefined) recent.delete(oldest);
}

export async function get<Data, Meta = unknown>(path: string, init: RequestInit = {}): Promise<Reply<Data, Meta>> {
  let response: Response;
  try {
    // Asks for status 200 instead of 404 if nothing is found: browsers log a 404 as an error.
    const headers = {
      accept: "application/json",
      "x-nothing-found": "200",
      ...(init.headers as Record<string, string> | undefined),
    };
    response = await fetch(path, { ...init, headers, credentials: "same-origin" });
  } catch (cause) {
    if (init.signal?.aborted === true) throw cause;
    throw new ApiError(
      "unreachable",
      "The worker cannot be reached.",
      "It may have stopped: `c-mem open` starts it again.",
    );
  }
  const body = (await response.json().catch(() => undefined)) as
    | { data?: Data; meta?: Meta; error?: { code: string; message: string; hint?: string | null } }
    | undefined;
  if (response.status === 401) isSignedOut.value = true;
  if (body?.error !== undefined) throw new ApiError(body.error.code, body.error.message, body.error.hint ?? undefined);
  if (!response.ok || body?.data === undefined)
    throw new ApiError(
      "internal",
      `The worker answered with status ${response.status}.`,
      "Run `c-mem doctor` to find the cause.",
    );
  return { data: body.data, meta: body.meta ?? ({} as Meta) };
}
