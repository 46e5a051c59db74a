// What has just been done, with a way back where there is one.
import { signal } from "@preact/signals";

interface Toast {
  id: number;
  text: string;
  action?: { label: string; run: () => void };
}

const SHOWN_MS = 8_000;
const toasts = signal<Toast[]>([]);
let lastId = 0;

export function toast(text: string, action?: Toast["action"]): void {
  lastId += 1;
  const id = lastId;
  toasts.value = [...toasts.value, { id, text, ...(action !== undefined && { action }) }];
  setTimeout(() => drop(id), SHOWN_MS);
}

export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text, action }) => (
        <div key={id} class="toast">
          <span>{text}</span>
          {action !== undefined && (
            <button
              class="button"
              // What had the focus is gone with what was done: the way back is at hand.
              ref={focusOnce}
              onClick={() => {
                drop(id);
                action.run();
              }}
            >
              {action.label}
            </button>
          )}
        </div>
      ))}
    </div>
  );
}

function focusOnce(button: HTMLButtonElement | null): void {
  button?.focus({ preventScroll: true });
}

function drop(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}
