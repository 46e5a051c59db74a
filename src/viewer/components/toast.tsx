// Short messages about what was just done, some with an undo button.
import { signal } from "@preact/signals";
import { asApiError } from "../api.ts";
import { Button } from "./controls.tsx";

const SHOWN_MS = 8_000;
const toasts = signal<{ id: number; text: string; undo: (() => void) | undefined }[]>([]);
let lastId = 0;

export function toast(text: string, undo?: () => void): void {
  lastId += 1;
  const id = lastId;
  toasts.value = [...toasts.value, { id, text, undo }];
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
      {toasts.value.map(({ id, text, undo }) => (
        <div key={id} class="toast card floating inline one-line">
          <span>{text}</span>
          {undo !== undefined && (
            <Button
              label="Undo"
              // The button takes the focus: the row that had it was removed.
              ref={focusOnce}
              onClick={() => {
                remove(id);
                undo();
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
