// What the next session of a project will be told, with other budgets and filters tried before they are saved.
import { useComputed, useSignal } from "@preact/signals";
import { CONCEPTS, OBSERVATION_TYPES } from "../../../core/memory.ts";
import { asApiError, send, useLoad } from "../../api.ts";
import { Empty } from "../../components/empty.tsx";
import { Loaded } from "../../components/loaded.tsx";
import { toast } from "../../components/toast.tsx";
import { count, withCommas } from "../../format.ts";
import { route, setQuery, withQuery } from "../../router.ts";
import type { ContextBlock, ProjectEntry, Setting } from "../../wire.ts";
import { Several } from "./several.tsx";
import { Slider } from "./slider.tsx";
import "./context.css";

/** What can be tried, and how far: sliders for numbers, boxes for lists. */
const NUMBERS = [
  { key: "contextTokens", label: "Tokens", min: 100, max: 4_000, step: 100 },
  { key: "contextObservations", label: "Observations in the index", min: 0, max: 100, step: 1 },
  { key: "contextFull", label: "Of these, told in full", min: 0, max: 20, step: 1 },
  { key: "contextSessions", label: "Sessions told of", min: 0, max: 10, step: 1 },
] as const;
const LISTS = [
  { key: "contextTypes", label: "Types", all: OBSERVATION_TYPES },
  { key: "contextConcepts", label: "Concepts", all: CONCEPTS },
] as const;
const SOURCES = ["startup", "compact", "clear", "resume"];

type Tried = Record<string, number | readonly string[]>;

export function Context() {
  const projects = useLoad<{ results: ProjectEntry[] }>(() => "/api/projects");
  const settings = useLoad<{ results: Setting[] }>(() => "/api/settings");
  const tried = useSignal<Tried>({});
  const source = useSignal("startup");
  const project = useComputed(
    () => route.value.query.get("project") ?? projects.load.value.reply?.data.results[0]?.key,
  );
  const block = useLoad<ContextBlock>(() =>
    project.value === undefined
      ? undefined
      : withQuery("/api/context/inject", asked(project.value, source.value, tried.value)),
  );
  const known = settings.load.value.reply?.data.results ?? [];
  const valueOf = (key: string): unknown => tried.value[key] ?? known.find((each) => each.key === key)?.value;
  const attempt = (key: string, value: number | readonly string[]): void => {
    tried.value = { ...tried.value, [key]: value };
  };
  const save = async (): Promise<void> => {
    try {
      for (const [key, value] of Object.entries(tried.value)) await send("PUT", `/api/settings/${key}`, { value });
      tried.value = {};
      settings.reload();
      toast("Saved: the next session is told this.");
    } catch (error) {
      toast(asApiError(error).message);
    }
  };
  return (
    <div class="page">
      <header class="page-head">
        <h1>Context preview</h1>
        <p>What the next session will be told. Files are not looked at here; the agent's hook does.</p>
      </header>
      <Loaded from={projects} empty={<NothingYet />}>
        {({ data }) => (
          <div class="context-preview">
            <form class="knobs card" onSubmit={(event) => event.preventDefault()}>
              <label>
                Project
                <select
                  class="field"
                  value={project.value}
                  onChange={(event) => setQuery({ project: event.currentTarget.value })}
                >
                  {data.results.map(({ key, name }) => (
                    <option key={key} value={key}>
                      {name}
                    </option>
                  ))}
                </select>
              </label>
              <label>
                When a session begins by
                <select
                  class="field"
                  value={source.value}
                  onChange={(event) => (source.value = event.currentTarget.value)}
                >
                  {SOURCES.map((each) => (
                    <option key={each} value={each}>
                      {each}
                    </option>
                  ))}
                </select>
              </label>
              {NUMBERS.map(({ key, ...range }) => (
                <Slider
                  key={key}
                  {...range}
                  value={Number(valueOf(key) ?? range.min)}
                  change={(value) => attempt(key, value)}
                />
              ))}
              {LISTS.map(({ key, label, all }) => (
                <Several
                  key={key}
                  label={label}
                  all={all}
                  chosen={(valueOf(key) as string[] | undefined) ?? []}
                  change={(value) => attempt(key, value)}
                />
              ))}
              {Object.keys(tried.value).length > 0 && (
                <div class="knob-actions">
                  <button class="button primary" onClick={() => void save()}>
                    Save
                  </button>
                  <button class="button" onClick={() => (tried.value = {})}>
                    Undo
                  </button>
                </div>
              )}
            </form>
            <Loaded
              from={block}
              empty={<p class="muted">Nothing: this project has no memory yet.</p>}
              isEmpty={isSilent}
            >
              {({ data: told }) => (
                <section class="told" aria-label="What will be told">
                  <p class="num muted">
                    {withCommas(told.tokens)} tokens, {withCommas(told.chars)} characters,{" "}
                    {count(told.items.length, "item")}
                  </p>
                  <pre class="card" tabIndex={0}>
                    {told.text}
                  </pre>
                </section>
              )}
            </Loaded>
          </div>
        )}
      </Loaded>
    </div>
  );
}

/** An empty list stands there too: all, whatever is saved. */
function asked(project: string, source: string, tried: Tried): URLSearchParams {
  const values = Object.entries(tried).map(([key, value]) => [key, String(value)]);
  return new URLSearchParams([["project", project], ["source", source], ...values]);
}

function isSilent({ text }: ContextBlock): boolean {
  return text === "";
}

function NothingYet() {
  return (
    <Empty title="There is no project yet">
      <p>
        The first session with an agent makes one; <code>c-mem sync</code> brings in earlier ones.
      </p>
    </Empty>
  );
}
