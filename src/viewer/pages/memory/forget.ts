// Forgetting with a way back: it is held by the worker for some seconds, and only then done.
import { signal } from "@preact/signals";
import { asApiError, get, send } from "../../api.ts";
import { toast } from "../../components/toast.tsx";

/** As long as a toast is shown. */
const HELD_SECONDS = 8;
/** Then it is done, or was in vain. */
const SETTLED_MS = (HELD_SECONDS + 2) * 1_000;

/** What is on its way out is not shown meanwhile. */
export const hiddenIds = signal<ReadonlySet<string>>(new Set());

interface Held {
  held?: { token: string };
}

/** False where it could not even be asked for. */
export async function forget(id: string, title: string): Promise<boolean> {
  hide(id, true);
  try {
    const { data } = await send<Held>("POST", "/api/forget", { ids: [id], hold_seconds: HELD_SECONDS });
    const token = data.held?.token;
    toast(`Forgotten: ${title}`, token === undefined ? undefined : { label: "Undo", run: () => void undo(id, token) });
    if (token !== undefined) setTimeout(() => void checkDone(id, title, token), SETTLED_MS);
    return true;
  } catch (error) {
    hide(id, false);
    toast(asApiError(error).message);
    return false;
  }
}

/** Nobody is left to believe that something is gone which is not. */
async function checkDone(id: string, title: string, token: string): Promise<void> {
  const { data } = await get<{ state: string }>(`/api/forget/${encodeURIComponent(token)}`).catch(() => UNKNOWN);
  if (data.state !== "failed") return;
  hide(id, false);
  toast(`It could not be forgotten and is still there: ${title}. Health has the worker's words on it.`);
}

/** Taken back, or its worker has left, which carries out what waits. */
const UNKNOWN = { data: { state: "unknown" } };

async function undo(id: string, token: string): Promise<void> {
  try {
    await send("DELETE", `/api/forget/${encodeURIComponent(token)}`);
    hide(id, false);
    toast("It is remembered again.");
  } catch (error) {
    toast(asApiError(error).message);
  }
}

function hide(id: string, isHidden: boolean): void {
  const next = new Set(hiddenIds.value);
  if (isHidden) next.add(id);
  else next.delete(id);
  hiddenIds.value = next;
}
