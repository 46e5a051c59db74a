// Code and tool output. Long text is cut until the user presses "Show … more characters".
import { useSignal } from "@preact/signals";
import { withCommas } from "../format.ts";
import { Button } from "./controls.tsx";

const MAX_LINES = 60;
const MAX_CHARS = 8_000;

export function Code({ text, label, isError = false }: { text: string; label?: string; isError?: boolean }) {
  const isExpanded = useSignal(false);
  const shown = isExpanded.value ? text : head(text);
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
          onClick={() => (isExpanded.value = true)}
        />
      )}
    </figure>
  );
}

/** At most the first 60 lines and 8,000 characters. Nothing is cut if less than a fifth would be. */
function head(text: string): string {
  const end = text.split("\n", MAX_LINES).join("\n").length;
  const cut = Math.min(end, MAX_CHARS);
  return text.slice(0, cut > text.length * 0.8 ? MAX_CHARS * 2 : cut);
}
