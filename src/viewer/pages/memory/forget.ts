// Forgets an observation. The worker waits 8 seconds before it deletes anything, so that the user can undo it.
import { signal } from "@preact/signals";
import { asApiError, get, send } from "../../api.ts";
import { report, toast } from "../../components/toast.tsx";

/** The toast with the undo button is shown for the same time. */
const HOLD_SECONDS = 8;
const CHECK_AFTER_MS = (HOLD_SECONDS + 2) * 1_000;

/** Ids of observations that were forgotten or are about to be. */
export const hiddenIds = signal<ReadonlySet<string>>(new Set());

/** Hides the observation and asks the worker to forget it. Returns whether the worker accepted the request. */
export async function forget(id: string, title: string): Promise<boolean> {
  setHidden(id, true);
  try {
    const body = { ids: [id], hold_seconds: HOLD_SECONDS };
    const { data } = await send<{ held: { token: string } }>("POST", "/api/forget", body);
    const { token } = data.held;
    toast(`Forgotten: ${title}`, () => void undo(id, token));
    setTimeout(() => void showIfFailed(id, title, token), CHECK_AFTER_MS);
    return true;
  } catch (error) {
    setHidden(id, false);
    toast(asApiError(error).message);
    return false;
  }
}

async function showIfFailed(id: string, title: string, token: string): Promise<void> {
  // No reply: the user has undone it, or the worker has stopped, which completes pending requests first.
  const reply = await get<{ state: string }>(`/api/forget/${encodeURIComponent(token)}`).catch(() => undefined);
  if (reply?.data.state !== "failed") return;
  setHidden(id, false);
  toast(`Could not forget "${title}". See the worker log on the Health page.`);
}

async function undo(id: string, token: string): Promise<void> {
  if (await report(send("DELETE", `/api/forget/${encodeURIComponent(token)}`), "Restored.")) setHidden(id, false);
}

function setHidden(id: string, isHidden: boolean): void {
  const others = [...hiddenIds.value].filter((each) => each !== id);
  hiddenIds.value = new Set(isHidden ? [...others, id] : others);
}
