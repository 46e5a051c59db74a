// What stands on the browser's tab.
import { useEffect } from "preact/hooks";
import { oneLine } from "./format.ts";

const MAX_CHARS = 60;

/** Undefined: not known yet, so the page's own name stays. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${oneLine(title, MAX_CHARS)} · C-Mem`;
  }, [title]);
}
