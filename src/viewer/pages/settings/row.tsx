// One setting: what it is, what it does, where its value came from, and a field that fits it.
import { useSignal } from "@preact/signals";
import { type ApiError, asApiError, send } from "../../api.ts";
import { Badge } from "../../components/badge.tsx";
import { WithCode } from "../../components/code.tsx";
import { toast } from "../../components/toast.tsx";
import type { Setting } from "../../wire.ts";

export function SettingRow({ setting, changed }: { setting: Setting; changed: () => void }) {
  const error = useSignal<ApiError | undefined>(undefined);
  const { key, source } = setting;
  const path = `/api/settings/${encodeURIComponent(key)}`;
  const change = async (method: "PUT" | "DELETE", value?: unknown): Promise<void> => {
    try {
      const { meta } = await send<Setting, { notice?: string | null }>(
        method,
        path,
        method === "PUT" ? { value } : undefined,
      );
      error.value = undefined;
      toast(meta.notice ?? (method === "PUT" ? `${key} is saved.` : `${key} is as it was made.`));
      changed();
    } catch (cause) {
      error.value = asApiError(cause);
    }
  };
  return (
    <li class="setting">
      <div class="setting-about">
        <label for={key}>
          <code>{key}</code>
        </label>
        {source !== "default" && <Badge tone="accent">{source === "user" ? "yours" : source}</Badge>}
        <p id={`${key}-about`}>
          <WithCode text={setting.about} />
        </p>
      </div>
      <div class="setting-value">
        <Field setting={setting} save={(value) => void change("PUT", value)} />
        {source === "user" && (
          <button class="link-button" onClick={() => void change("DELETE")}>
            Default: {asText(setting.default) || "nothing"}
          </button>
        )}
        {error.value !== undefined && (
          <p class="setting-error" role="alert">
            {error.value.message} {error.value.hint !== undefined && <WithCode text={error.value.hint} />}
          </p>
        )}
      </div>
    </li>
  );
}

function Field({ setting, save }: { setting: Setting; save: (value: unknown) => void }) {
  const { key, value, default: initial, one_of: words, min, max, source } = setting;
  // What the environment says cannot be changed from here.
  const common = { id: key, disabled: source === "environment", "aria-describedby": `${key}-about` };
  if (typeof initial === "boolean")
    return (
      <input
        {...common}
        type="checkbox"
        class="switch"
        checked={value === true}
        onChange={(event) => save(event.currentTarget.checked)}
      />
    );
  if (words !== null && typeof initial === "string")
    return (
      <select {...common} class="field" value={String(value)} onChange={(event) => save(event.currentTarget.value)}>
        {words.map((word) => (
          <option key={word} value={word}>
            {word}
          </option>
        ))}
      </select>
    );
  if (typeof initial === "number")
    return (
      <input
        {...common}
        class="field num"
        type="number"
        step="any"
        min={min ?? undefined}
        max={max ?? undefined}
        value={Number(value)}
        onChange={({ currentTarget: field }) => save(field.value === "" ? "" : field.valueAsNumber)}
      />
    );
  return (
    <input
      {...common}
      class="field"
      spellcheck={false}
      value={asText(value)}
      placeholder={words === null ? "" : words.join(", ")}
      onChange={(event) => save(event.currentTarget.value)}
    />
  );
}

/** Lists with commas between, as the command line takes them; as JSON where an item has a comma in it. */
function asText(value: unknown): string {
  if (Array.isArray(value))
    return value.some((item) => String(item).includes(",")) ? JSON.stringify(value) : value.join(",");
  if (value !== null && typeof value === "object") return Object.keys(value).length === 0 ? "" : JSON.stringify(value);
  return String(value);
}
