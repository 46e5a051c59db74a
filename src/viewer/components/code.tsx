// Code and tool output. Long text is cut until "Show more" is pressed.
import { useSignal } from "@preact/signals";
import { withCommas } from "../format.ts";
import { Button } from "./controls.tsx";

const MAX_LINES = 60;
const MAX_CHARS = 8_000;

export function Code({ text, label, isError = false }: { text: string; label?: string; isError?: boolean }) {
  const isWhole = useSignal(false);
  const shown = isWhole.value ? text : head(text);
  const hidden = text.length - shown.length;
  return (
    <figure class="code">
      {label !== undefined && (
        <figcaption class={`line-below tiny ${isError ? "is-bad" : "muted"}`}>{label}</figcaption>
      )}
      <pre tabIndex={0}>{shown}</pre>
      {hidden > 0 && (
        <Button
          label={`Show ${withCommas(hidden)} more characters`}
          class="link-button"
          onClick={() => (isWhole.value = true)}
        />
      )}
    </figure>
  );
}

/** The first 60 lines or 8,000 characters; all of it when the rest is less than a fifth. */
function head(text: string): string {
  const end = text.split("\n", MAX_LINES).join("\n").length;
  const cut = Math.min(end, MAX_CHARS);
  return text.slice(0, cut > text.length * 0.8 ? MAX_CHARS * 2 : cut);
}
