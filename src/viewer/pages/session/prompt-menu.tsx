// A menu that lists the prompts of a session and jumps to the selected one.
import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import { useListener } from "../../components/hooks.ts";
import { Icon } from "../../components/icon.tsx";
import { Time } from "../../components/text.tsx";
import { count } from "../../format.ts";
import type { Entry } from "./outline.ts";

export function PromptMenu({ prompts }: { prompts: readonly Entry[] }) {
  const isOpen = useSignal(false);
  const root = useRef<HTMLDivElement>(null);
  const close = (): void => {
    isOpen.value = false;
  };
  useListener("click", ({ target }) => root.current?.contains(target as Node) !== true && close());
  useListener("keydown", ({ key }) => key === "Escape" && close());
  if (prompts.length < 2) return null;
  return (
    <div class="prompt-menu" ref={root}>
      <button
        class="button quiet point-down"
        title="j and k go from prompt to prompt"
        aria-expanded={isOpen.value}
        onClick={() => (isOpen.value = !isOpen.value)}
      >
        {count(prompts.length, "prompt")}
        <Icon name="chevron" />
      </button>
      {isOpen.value && (
        <ol class="card floating">
          {prompts.map((prompt) => (
            <li key={prompt.id}>
              <a class="row cells" href={`#${prompt.id}`} onClick={close}>
                <span class="num muted">{prompt.turn}</span>
                <span class="ellipsis">{prompt.name}</span>
                <Time at={prompt.at} as="clock" />
              </a>
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}
