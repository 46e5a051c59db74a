// Short messages about what was just done, with an undo button where there is one.
import { signal } from "@preact/signals";
import { Button } from "./button.tsx";
import { asApiError } from "../api.ts";

interface Toast {
  id: number;
  text: string;
  action: { label: string; run: () => void } | undefined;
}

const SHOWN_MS = 8_000;
const toasts = signal<Toast[]>([]);
let lastId = 0;

export function toast(text: string, action?: Toast["action"]): void {
  lastId += 1;
  const id = lastId;
  toasts.value = [...toasts.value, { id, text, action }];
  setTimeout(() => remove(id), SHOWN_MS);
}

/** Shows `done`, or the error; returns whether the change succeeded. */
export async function report(change: Promise<unknown>, done: string): Promise<boolean> {
  try {
    await change;
    toast(done);
    return true;
  } catch (error) {
    toast(asApiError(error).message);
    return false;
  }
}

export function Toasts() {
  return (
    <div class="toasts stack" role="status">
      {toasts.value.map(({ id, text, action }) => (
        <div key={id} class="toast card inline one-line">
          <span>{text}</span>
          {action !== undefined && (
            <Button
              label={action.label}
              // The element that had the focus, such as a deleted row, is gone.
              ref={focusOnce}
              onClick={() => {
                remove(id);
                action.run();
              }}
            />
          )}
        </div>
      ))}
    </div>
  );
}

function focusOnce(button: HTMLButtonElement | null): void {
  button?.focus({ preventScroll: true });
}

function remove(id: number): void {
  toasts.value = toasts.value.filter((each) => each.id !== id);
}
