// Where one is in a session, so that coming back or loading again leads there.
import type { ListControl } from "../../components/virtual-list.tsx";

/** Where what was jumped to comes to stand: below the bar that stays. */
export const BELOW_BAR_PX = 96;
const PAUSE_MS = 200;

export interface Place {
  id: string;
  offsetPx: number;
}

/** What was noted of this entry of the history. */
export function notedPlace(): Place | undefined {
  return (history.state as { place?: Place } | null)?.place;
}

/** Notes the place whenever scrolling comes to rest; returns how to stop. */
export function notePlaces(placeNow: () => Place | undefined): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const note = (): void => {
    const place = placeNow();
    if (place !== undefined) history.replaceState({ ...(history.state as object | null), place }, "");
  };
  const later = (): void => {
    clearTimeout(timer);
    timer = setTimeout(note, PAUSE_MS);
  };
  addEventListener("scroll", later, { passive: true });
  addEventListener("pagehide", note);
  // A link is about to lead elsewhere: this entry is the one to come back to.
  document.addEventListener("click", note, { capture: true });
  return () => {
    clearTimeout(timer);
    removeEventListener("scroll", later);
    removeEventListener("pagehide", note);
    document.removeEventListener("click", note, { capture: true });
  };
}

export function placeIn(control: ListControl | undefined, keys: readonly string[]): Place | undefined {
  const place = control?.place(BELOW_BAR_PX);
  const id = place === undefined ? undefined : keys[place.index];
  return place === undefined || id === undefined ? undefined : { id, offsetPx: BELOW_BAR_PX - place.intoPx };
}

/** Tells when a link has led from one place of the page to another, and when one has gone back. */
export function listenForJumps(tell: (hasJumped: boolean) => void): () => void {
  const onClick = (event: MouseEvent): void => {
    const link = (event.target as Element | null)?.closest?.("a");
    if (link?.getAttribute("href")?.startsWith("#") === true && event.button === 0) tell(true);
  };
  const onBack = (): void => tell(false);
  document.addEventListener("click", onClick);
  addEventListener("popstate", onBack);
  return () => {
    document.removeEventListener("click", onClick);
    removeEventListener("popstate", onBack);
  };
}
