// Hooks that several components share.
import { type ReadonlySignal, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { oneLine } from "../format.ts";

/** Listens to a window event while the component is mounted. Calls the handler of the latest render. */
export function useListener<Name extends keyof WindowEventMap>(
  name: Name,
  handler: (event: WindowEventMap[Name]) => void,
  options?: AddEventListenerOptions,
): void {
  const latest = useRef(handler);
  latest.current = handler;
  useEffect(() => {
    const listener = (event: WindowEventMap[Name]): void => latest.current(event);
    addEventListener(name, listener, options);
    return () => removeEventListener(name, listener, options);
  }, []);
}

/** True for a key pressed outside of text fields and without Ctrl, Alt or Meta: only then j, k and / are shortcuts. */
export function isShortcut({ metaKey, ctrlKey, altKey, target }: KeyboardEvent): boolean {
  const { tagName, isContentEditable } = target as HTMLElement;
  return !metaKey && !ctrlKey && !altKey && !isContentEditable && !/^(?:INPUT|TEXTAREA|SELECT)$/.test(tagName);
}

/** Sets the title of the browser tab, unless `title` is undefined because it is still loading. */
export function useTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${oneLine(title, 60)} · C-Mem`;
  }, [title]);
}

/** The typed text, trimmed. It changes only after the user has not typed for `pauseMs`. */
export function useDebounced(typed: ReadonlySignal<string>, pauseMs: number): ReadonlySignal<string> {
  const text = useSignal(typed.peek().trim());
  useSignalEffect(() => {
    const latest = typed.value.trim();
    const timer = setTimeout(() => (text.value = latest), pauseMs);
    return () => clearTimeout(timer);
  });
  return text;
}
