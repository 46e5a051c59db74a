// Who writes the memory: the model settings in one form, which says what is sent where before they are saved.
import { useComputed, useSignal } from "@preact/signals";
import { providerLabel } from "../../llm/provider-labels.ts";
import type { settings } from "../../queries/settings.ts";
import type { writerNotice } from "../../queries/writer.ts";
import { type DataOf, type RowOf, send, useLoad } from "../api.ts";
import { Button, Select } from "../components/controls.tsx";
import { useDebounced } from "../components/hooks.ts";
import { ErrorBox } from "../components/page.tsx";
import { Paragraph } from "../components/text.tsx";
import { report } from "../components/toast.tsx";
import { count, withCommas } from "../format.ts";

type Setting = RowOf<typeof settings>;

const SERVER_FIELDS = [
  { key: "model", label: "Model", placeholder: "the provider's smallest" },
  { key: "baseUrl", label: "Address (URL)", placeholder: "the provider's own" },
  { key: "apiKeyEnv", label: "Environment variable with the key", placeholder: "the provider's usual one" },
] as const;
const LIMITS = [
  { key: "tokensPerDay", label: "Tokens per day" },
  { key: "tokensPerProjectAndDay", label: "Tokens per day and project" },
  { key: "usdPerDay", label: "Dollars per day" },
  { key: "usdPerProjectAndDay", label: "Dollars per day and project" },
] as const;

/** The settings in this form. */
export const WRITER_KEYS: ReadonlySet<string> = new Set([
  "provider",
  ...[...SERVER_FIELDS, ...LIMITS].map(({ key }) => key),
]);

const TYPING_PAUSE_MS = 250;

export function WriterForm({ all, reload }: { all: readonly Setting[]; reload: () => void }) {
  /** Settings changed in the form and not saved yet. */
  const unsaved = useSignal<Record<string, string>>({});
  const savedValue = (key: string): string => String(all.find((setting) => setting.key === key)?.value ?? "");
  const valueOf = (key: string): string => unsaved.value[key] ?? savedValue(key);
  const change = (changes: Record<string, string>): void => {
    const next = Object.entries({ ...unsaved.peek(), ...changes });
    unsaved.value = Object.fromEntries(next.filter(([key, value]) => value !== savedValue(key)));
  };
  const path = useComputed(() => `/api/writer?${new URLSearchParams(unsaved.value)}`);
  const asked = useDebounced(path, TYPING_PAUSE_MS);
  const preview = useLoad<typeof writerNotice>(() => asked.value);
  const { reply, error, isLoading } = preview.load.value;
  const isChanged = Object.keys(unsaved.value).length > 0;
  // What is saved must be what the notice is about.
  const isPreviewed = !isLoading && error === undefined && asked.value === path.value;
  const save = async (): Promise<void> => {
    if (!(await report(send("PUT", "/api/writer", unsaved.value), "Saved."))) return;
    unsaved.value = {};
    reload();
  };
  const provider = valueOf("provider");
  const providers = all.find(({ key }) => key === "provider")?.one_of ?? [];
  return (
    <form
      class="form card stack"
      aria-label="Who writes the memory"
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged && isPreviewed) void save();
      }}
    >
      <label>
        Who writes the memory
        <Select
          class="field"
          name="provider"
          options={Object.fromEntries(providers.map((id) => [id, providerLabel(id)]))}
          value={provider}
          // The names of another provider's model, server and key do not fit.
          onPick={(value) => change({ provider: value, model: "", baseUrl: "", apiKeyEnv: "" })}
        />
      </label>
      {provider !== "none" && (
        <>
          {SERVER_FIELDS.map(({ key, label, placeholder }) => (
            <label key={key}>
              {label}
              <input
                class="field"
                name={key}
                spellcheck={false}
                autocomplete="off"
                placeholder={placeholder}
                value={valueOf(key)}
                onInput={({ currentTarget }) => change({ [key]: currentTarget.value.trim() })}
              />
            </label>
          ))}
          <div class="tiles" style={{ "--tile": "16rem" }}>
            {LIMITS.map(({ key, label }) => (
              <label key={key}>
                {label}
                <input
                  class="field num"
                  name={key}
                  type="number"
                  min={0}
                  step="any"
                  required
                  value={valueOf(key)}
                  onInput={({ currentTarget }) => change({ [key]: currentTarget.value })}
                />
              </label>
            ))}
          </div>
        </>
      )}
      <div class="notice side-line small stack tight" role="status">
        {error === undefined ? reply !== undefined && <Notice {...reply.data} /> : <ErrorBox error={error} />}
      </div>
      {isChanged && (
        <div class="inline">
          <Button label="Save" class="button primary" disabled={!isPreviewed} />
          <Button label="Undo" type="button" onClick={() => (unsaved.value = {})} />
        </div>
      )}
    </form>
  );
}

function Notice({ notice, usage }: DataOf<typeof writerNotice>) {
  return (
    <>
      {notice.split("\n").map((line) => (
        <Paragraph key={line} text={line} />
      ))}
      <p class="muted">
        {usage.sessions === 0
          ? "No sessions found yet to estimate the use from."
          : `Estimated from ${count(usage.sessions, "session")} of the last 14 days, a model takes about ${withCommas(usage.tokens_per_day)} tokens a day.`}
      </p>
    </>
  );
}
