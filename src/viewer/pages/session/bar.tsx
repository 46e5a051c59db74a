// What one can do with a session: find, go to a turn or the next failure, leave the tools out, replay.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../../components/icon.tsx";
import { Time } from "../../components/time.tsx";
import { count } from "../../format.ts";
import type { Entry, Outline } from "./outline.ts";

export function Toggle({
  isOn,
  title,
  onClick,
  children,
}: {
  isOn: boolean;
  title?: string;
  onClick: () => void;
  children: ComponentChildren;
}) {
  return (
    <button class="button quiet" aria-pressed={isOn} title={title} onClick={onClick}>
      {children}
    </button>
  );
}

/** A list of all prompts to go to. */
export function Turns({ outline }: { outline: Outline }) {
  const isOpen = useSignal(false);
  const box = useRef<HTMLDivElement>(null);
  const prompts = outline.entries.filter(({ kind, agent }) => kind === "prompt" && agent === "");
  useEffect(() => {
    const close = (event: Event): void => {
      const isInside = event instanceof MouseEvent && box.current?.contains(event.target as Node) === true;
      if (!isInside && !(event instanceof KeyboardEvent && event.key !== "Escape")) isOpen.value = false;
    };
    document.addEventListener("click", close);
    document.addEventListener("keydown", close);
    return () => {
      document.removeEventListener("click", close);
      document.removeEventListener("keydown", close);
    };
  }, []);
  if (prompts.length < 2) return null;
  return (
    <div class="turns" ref={box}>
      <button
        class="button quiet"
        title="j and k go from prompt to prompt"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {count(prompts.length, "prompt")}
        <span class="turn-down">
          <Icon name="chevron" />
        </span>
      </button>
      {isOpen.value && (
        <ol class="turn-list card">
          {prompts.map((prompt) => (
            <li key={prompt.id}>
              <a href={`#${prompt.id}`} onClick={() => (isOpen.value = false)}>
                <span class="num muted">{prompt.turn}</span>
                <span class="gist">{prompt.name}</span>
                <Time at={prompt.at} as="clock" />
              </a>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

/** The next thing that failed after what is on the screen; after the last comes the first. */
export function nextFailure(entries: readonly Entry[], after: number): Entry | undefined {
  return entries.find(({ isError }, index) => isError && index > after) ?? entries.find(({ isError }) => isError);
}

/** j and k go from prompt to prompt. */
export function listenForTurns(go: (step: 1 | -1) => void): () => void {
  const onKey = (event: KeyboardEvent): void => {
    const target = event.target as HTMLElement;
    if (event.metaKey || event.ctrlKey || event.altKey || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName)) return;
    if (event.key === "j") go(1);
    if (event.key === "k") go(-1);
  };
  addEventListener("keydown", onKey);
  return () => removeEventListener("keydown", onKey);
}
