// All settings. The worker validates a change and saves it in the user's configuration file.
import { useSignal } from "@preact/signals";
import type { settings } from "../../queries/settings.ts";
import { type ApiError, asApiError, type RowOf, send, useLoad } from "../api.ts";
import { Button, Select } from "../components/controls.tsx";
import { Loaded, PageFrame } from "../components/page.tsx";
import { Badge, richText } from "../components/text.tsx";
import { toast } from "../components/toast.tsx";
import { WRITER_KEYS, WriterForm } from "./writer-form.tsx";

type Setting = RowOf<typeof settings>;

const MODELS = "Models";

/** A setting is shown in the first group whose pattern matches its key. */
const GROUPS: readonly [name: string, pattern: RegExp][] = [
  ["Recording", /^(?:enabled|exclude|skip|max|archive|project|sessionFolders)/],
  ["Context for agents", /^(?:surfaces|context|holdout)/],
  [MODELS, /^(?:model|prices)/],
  ["Search", /^search/],
  ["Semantic search", /^embeddings/],
  ["Retention and backups", /^(?:retention|backup|compress)/],
  ["Worker", /^(?:worker|port)/],
  ["Other", /./],
];

export function Page() {
  const all = useLoad<typeof settings>(() => "/api/settings");
  return (
    <PageFrame title="Settings" class="narrow">
      <Loaded from={all}>
        {({ data }) => {
          const single = data.results.filter(({ key }) => !WRITER_KEYS.has(key));
          const groups = Map.groupBy(single, ({ key }) => GROUPS.find(([, pattern]) => pattern.test(key))?.[0]);
          return (
            <div class="stack loose">
              {data.problems.map((problem) => (
                <p key={problem} class="is-bad small" role="alert">
                  {problem}
                </p>
              ))}
              {GROUPS.filter(([name]) => groups.has(name)).map(([name]) => (
                <section key={name}>
                  <h2>{name}</h2>
                  {name === MODELS && <WriterForm all={data.results} reload={all.reload} />}
                  <ul class="lines">
                    {groups.get(name)?.map((setting) => (
                      <SettingRow key={setting.key} setting={setting} reload={all.reload} />
                    ))}
                  </ul>
                </section>
              ))}
              <p class="muted">
                Changes are saved in <code>{data.files.user}</code>. Environment variables override them.
              </p>
            </div>
          );
        }}
      </Loaded>
    </PageFrame>
  );
}

function SettingRow({ setting, reload }: { setting: Setting; reload: () => void }) {
  const error = useSignal<ApiError | undefined>(undefined);
  const { key, source } = setting;
  const change = async (method: "PUT" | "DELETE", body?: { value: unknown }): Promise<void> => {
    try {
      const path = `/api/settings/${encodeURIComponent(key)}`;
      const { meta } = await send<Setting, { notice?: string | null }>(method, path, body);
      error.value = undefined;
      toast(meta.notice ?? (method === "PUT" ? `Saved ${key}.` : `Reset ${key} to its default.`));
      reload();
    } catch (cause) {
      error.value = asApiError(cause);
    }
  };
  return (
    <li class="setting cells may-wrap">
      <div>
        <label for={key}>
          <code>{key}</code>
        </label>{" "}
        {source !== "default" && <Badge tone="accent">{source === "user" ? "changed" : source}</Badge>}
        <p class="muted small" id={`${key}-about`}>
          {richText(setting.about)}
        </p>
      </div>
      <div class="stack small">
        <Field setting={setting} save={(value) => void change("PUT", { value })} />
        {source === "user" && (
          <Button
            label={`Default: ${asText(setting.default) || "empty"}`}
            class="link-button"
            onClick={() => void change("DELETE")}
          />
        )}
        {error.value !== undefined && (
          <p class="setting-error is-bad" role="alert">
            {richText(`${error.value.message} ${error.value.hint ?? ""}`)}
          </p>
        )}
      </div>
    </li>
  );
}

function Field({ setting, save }: { setting: Setting; save: (value: unknown) => void }) {
  const { key, value, default: initial, one_of: words, min, max, source } = setting;
  // The page cannot change environment variables.
  const common = { id: key, disabled: source === "environment", "aria-describedby": `${key}-about` };
  if (words !== null && typeof initial === "string")
    return <Select {...common} class="field" options={words} value={String(value)} onPick={save} />;
  const isNumber = typeof initial === "number";
  return typeof initial === "boolean" ? (
    <input
      {...common}
      class="switch"
      type="checkbox"
      checked={value === true}
      onChange={(event) => save(event.currentTarget.checked)}
    />
  ) : (
    <input
      {...common}
      class="field num"
      type={(isNumber ? "number" : "text") as "number"}
      step={isNumber ? "any" : undefined}
      min={min ?? undefined}
      max={max ?? undefined}
      spellcheck={false}
      value={asText(value)}
      placeholder={words?.join(", ") ?? ""}
      onChange={({ currentTarget: field }) => save(isNumber && field.value !== "" ? field.valueAsNumber : field.value)}
    />
  );
}

/** ["a", "b"] -> "a,b", as on the command line. Lists with a comma in an item, and objects, become JSON. */
function asText(value: unknown): string {
  if (Array.isArray(value))
    return value.some((item) => String(item).includes(",")) ? JSON.stringify(value) : value.join(",");
  if (value !== null && typeof value === "object") return Object.keys(value).length === 0 ? "" : JSON.stringify(value);
  return String(value);
}
