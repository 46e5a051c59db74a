// Code and what tools printed: as it is, long pieces cut until they are asked for.
import { useSignal } from "@preact/signals";
import { withCommas } from "../format.ts";

/** More lines or characters than these are shown when somebody asks. */
const MAX_LINES = 60;
const MAX_CHARS = 8_000;

export function Code({ text, label, isError = false }: { text: string; label?: string; isError?: boolean }) {
  const isWhole = useSignal(false);
  const shown = isWhole.value ? text : head(text);
  const left = text.length - shown.length;
  return (
    <figure class={isError ? "code is-error" : "code"}>
      {label !== undefined && <figcaption>{label}</figcaption>}
      <pre tabIndex={0}>{shown}</pre>
      {left > 0 && (
        <button class="more" onClick={() => (isWhole.value = true)}>
          Show {withCommas(left)} more characters
        </button>
      )}
    </figure>
  );
}

/** A sentence of ours in which `commands` stand as code. */
export function WithCode({ text }: { text: string }) {
  return (
    <>
      {text
        .split("`")
        .map((part, index) => (index % 2 === 1 ? <code key={index}>{part}</code> : <span key={index}>{part}</span>))}
    </>
  );
}

function head(text: string): string {
  let end = 0;
  for (let line = 0; line < MAX_LINES; line += 1) {
    end = text.indexOf("\n", end) + 1;
    if (end === 0) break;
  }
  const cut = end === 0 ? text.length : end;
  // A few more than the limit are not worth a button.
  return Math.min(cut, MAX_CHARS) > text.length * 0.8
    ? text.slice(0, MAX_CHARS * 2)
    : text.slice(0, Math.min(cut, MAX_CHARS));
}
