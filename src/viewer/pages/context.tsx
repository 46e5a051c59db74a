// Previews the context that C-Mem injects into a project's next session. The user can try settings before saving them.
import { useComputed, useSignal } from "@preact/signals";
import { CONCEPTS, OBSERVATION_TYPES } from "../../core/memory.ts";
import type { context } from "../../queries/context.ts";
import type { settings } from "../../queries/settings.ts";
import { send, useLoad } from "../api.ts";
import { Button, Select } from "../components/controls.tsx";
import { projectOptions, useProjects } from "../components/filters.tsx";
import { Loaded, PageFrame } from "../components/page.tsx";
import { report } from "../components/toast.tsx";
import { count, withCommas } from "../format.ts";
import { route, setQuery } from "../router.ts";

const NUMBERS = [
  { key: "contextTokens", label: "Tokens", min: 100, max: 4_000, step: 100 },
  { key: "contextObservations", label: "Observations in the index", min: 0, max: 100, step: 1 },
  { key: "contextFull", label: "Observations in full", min: 0, max: 20, step: 1 },
  { key: "contextSessions", label: "Sessions", min: 0, max: 10, step: 1 },
] as const;
const LISTS = [
  { key: "contextTypes", label: "Types", all: OBSERVATION_TYPES },
  { key: "contextConcepts", label: "Concepts", all: CONCEPTS },
] as const;
const SOURCES = ["startup", "compact", "clear", "resume"];

export function Page() {
  const projects = useProjects();
  const saved = useLoad<typeof settings>(() => "/api/settings");
  /** Settings changed in the form and not saved yet. */
  const unsaved = useSignal<Record<string, number | readonly string[]>>({});
  const source = useSignal("startup");
  const project = useComputed(
    () => route.value.query.get("project") ?? projects.load.value.reply?.data.results[0]?.key,
  );
  const block = useLoad<typeof context>(() => {
    if (project.value === undefined) return undefined;
    // Not `withQuery`, which omits empty values: an empty list means "all" and overrides the saved list.
    const values = Object.entries(unsaved.value).map(([key, value]) => [key, String(value)]);
    return `/api/context/inject?${new URLSearchParams([["project", project.value], ["source", source.value], ...values])}`;
  });
  const valueOf = (key: string): unknown =>
    unsaved.value[key] ?? saved.load.value.reply?.data.results.find((setting) => setting.key === key)?.value;
  const change = (key: string, value: number | readonly string[]): void => {
    unsaved.value = { ...unsaved.value, [key]: value };
  };
  const saveAll = async (): Promise<void> => {
    for (const [key, value] of Object.entries(unsaved.value)) await send("PUT", `/api/settings/${key}`, { value });
    unsaved.value = {};
    saved.reload();
  };
  const empty = {
    title: "No projects yet",
    text: "A project appears with its first session. Run `c-mem sync` to import earlier sessions.",
  };
  return (
    <PageFrame
      title="Context preview"
      about="What C-Mem injects when the next session starts. Unlike the hook, the preview does not check files."
    >
      <Loaded from={projects} empty={empty}>
        {() => (
          <div class="columns context-preview">
            <form class="form card stack" onSubmit={(event) => event.preventDefault()}>
              <label>
                Project
                <Select
                  class="field"
                  options={projectOptions(projects)}
                  value={project.value}
                  onPick={(value) => setQuery({ project: value })}
                />
              </label>
              <label>
                Session start
                <Select
                  class="field"
                  options={SOURCES}
                  value={source.value}
                  onPick={(value) => (source.value = value)}
                />
              </label>
              {NUMBERS.map(({ key, label, min, max, step }) => {
                const value = Number(valueOf(key) ?? min);
                return (
                  <label key={key}>
                    <span class="split">
                      {label} <b class="num">{withCommas(value)}</b>
                    </span>
                    <input
                      type="range"
                      min={min}
                      max={Math.max(max, value)}
                      step={step}
                      value={value}
                      onChange={(event) => change(key, event.currentTarget.valueAsNumber)}
                    />
                  </label>
                );
              })}
              {LISTS.map(({ key, label, all }) => {
                const selected = (valueOf(key) as string[] | undefined) ?? [];
                const others = (word: string): string[] => selected.filter((each) => each !== word);
                return (
                  <fieldset key={key} class="stack tight">
                    <legend>
                      {label}{" "}
                      <span class="muted">{selected.length === 0 ? "all" : `${selected.length} of ${all.length}`}</span>
                    </legend>
                    {all.map((word) => (
                      <label key={word}>
                        <input
                          type="checkbox"
                          checked={selected.includes(word)}
                          onChange={({ currentTarget: box }) =>
                            change(key, box.checked ? [...selected, word] : others(word))
                          }
                        />{" "}
                        {word}
                      </label>
                    ))}
                  </fieldset>
                );
              })}
              {Object.keys(unsaved.value).length > 0 && (
                <div class="inline">
                  <Button
                    label="Save"
                    class="button primary"
                    onClick={() => void report(saveAll(), "Saved for the next session.")}
                  />
                  <Button label="Undo" onClick={() => (unsaved.value = {})} />
                </div>
              )}
            </form>
            <Loaded
              from={block}
              empty="Nothing is injected: this project has no memory yet."
              isEmpty={({ text }) => text === ""}
            >
              {({ data }) => (
                <section class="injected" aria-label="Injected context">
                  <p class="num muted">
                    {withCommas(data.tokens)} tokens, {withCommas(data.chars)} characters,{" "}
                    {count(data.items.length, "item")}
                  </p>
                  <pre class="card" tabIndex={0}>
                    {data.text}
                  </pre>
                </section>
              )}
            </Loaded>
          </div>
        )}
      </Loaded>
    </PageFrame>
  );
}
