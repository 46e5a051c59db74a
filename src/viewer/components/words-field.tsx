// A word or a path that is typed and lives in the address, as the filters beside it do.
import { useSignal, useSignalEffect } from "@preact/signals";
import { route, setQuery } from "../router.ts";

const PAUSE_MS = 150;

export function WordsField({ name, label }: { name: string; label: string }) {
  const typed = useSignal(route.peek().query.get(name) ?? "");
  useSignalEffect(() => {
    const words = typed.value;
    if (words === (route.peek().query.get(name) ?? "")) return;
    const timer = setTimeout(() => setQuery({ [name]: words }), PAUSE_MS);
    return () => clearTimeout(timer);
  });
  return (
    <label class="words">
      <span class="hidden">{label}</span>
      <input
        class="field"
        type="search"
        placeholder={label}
        spellcheck={false}
        value={typed.value}
        onInput={(event) => (typed.value = event.currentTarget.value)}
      />
    </label>
  );
}
