// The one way to load what the worker knows, and to change it.
import { signal, useComputed, useSignal, useSignalEffect, type ReadonlySignal } from "@preact/signals";
import { useEffect } from "preact/hooks";

export interface Reply<Data, Meta = Record<string, unknown>> {
  data: Data;
  meta: Meta;
}

/** What went wrong, in words for the person who looks. */
export class ApiError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  constructor(code: string, message: string, hint?: string) {
    super(message);
    this.name = "ApiError";
    this.code = code;
    this.hint = hint;
  }
}

/** The worker does not know this browser: nothing can be loaded until `c-mem open` has let it in. */
export const isSignedOut = signal(false);

export async function get<Data, Meta = Record<string, unknown>>(
  path: string,
  abort?: AbortSignal,
): Promise<Reply<Data, Meta>> {
  return await request<Data, Meta>(path, abort === undefined ? {} : { signal: abort });
}

export async function send<Data, Meta = Record<string, unknown>>(
  method: "POST" | "PATCH" | "PUT" | "DELETE",
  path: string,
  body?: unknown,
): Promise<Reply<Data, Meta>> {
  return await request<Data, Meta>(path, {
    method,
    // Said also where there is no body: what a form of another page could send is refused.
    headers: { "content-type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

export interface Load<Data, Meta = Record<string, unknown>> {
  /** The newest reply there is: while another is on its way, the one before. */
  reply: Reply<Data, Meta> | undefined;
  error: ApiError | undefined;
  isLoading: boolean;
  /** The path `reply` answers. */
  path: string | undefined;
}

export interface Loading<Data, Meta = Record<string, unknown>> {
  load: ReadonlySignal<Load<Data, Meta>>;
  /** Asks again; what is shown stays until the answer is there. */
  reload: () => void;
}

/**
 * Loads `path()` and again whenever a signal it reads changes; `undefined` loads nothing. Replies that arrive after a newer
 * question are dropped. What was loaded before is shown at once and asked for again.
 */
export function useLoad<Data, Meta = Record<string, unknown>>(path: () => string | undefined): Loading<Data, Meta> {
  const wanted = useComputed(path);
  const round = useSignal(0);
  const load = useSignal<Load<Data, Meta>>({ reply: undefined, error: undefined, isLoading: true, path: undefined });
  const running = useSignal<AbortController | undefined>(undefined);
  useSignalEffect(() => {
    const asked = wanted.value;
    void round.value;
    running.peek()?.abort();
    if (asked === undefined) {
      load.value = { reply: undefined, error: undefined, isLoading: false, path: undefined };
      return;
    }
    const abort = new AbortController();
    running.value = abort;
    const known = recent.get(asked) as Reply<Data, Meta> | undefined;
    const before = load.peek();
    load.value = known
      ? { reply: known, error: undefined, isLoading: true, path: asked }
      : { ...before, error: undefined, isLoading: true };
    get<Data, Meta>(asked, abort.signal).then(
      (reply) => {
        if (abort.signal.aborted) return;
        remember(asked, reply);
        load.value = { reply, error: undefined, isLoading: false, path: asked };
      },
      (error: unknown) => {
        if (abort.signal.aborted) return;
        load.value = { reply: undefined, error: asApiError(error), isLoading: false, path: asked };
      },
    );
  });
  useEffect(() => () => running.peek()?.abort(), []);
  return {
    load,
    reload: () => {
      // Not `+=`: an effect that reloads would wait for its own change.
      round.value = round.peek() + 1;
    },
  };
}

export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError("internal", String(error));
}

/** What is shown at once when one comes back to a page. */
const recent = new Map<string, Reply<unknown, unknown>>();
const MAX_RECENT = 50;

function remember(path: string, reply: Reply<unknown, unknown>): void {
  recent.delete(path);
  recent.set(path, reply);
  const oldest = recent.keys().next().value;
  if (recent.size > MAX_RECENT && oldest !== undefined) recent.delete(oldest);
}

async function request<Data, Meta>(path: string, init: RequestInit): Promise<Reply<Data, Meta>> {
  let response: Response;
  try {
    // A question without an answer is no failure, and none for the browser to write down in red.
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
      "It may have gone to rest: `c-mem open` starts it. This page tries again when it is back.",
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
      "`c-mem doctor` may know why.",
    );
  return { data: body.data, meta: body.meta ?? ({} as Meta) };
}
