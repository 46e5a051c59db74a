// Forms that add, edit and replace observations.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { OBSERVATION_TYPES } from "../../../core/memory.ts";
import type { observations } from "../../../queries/observations.ts";
import { type ApiError, asApiError, type DataOf, send, useLoad } from "../../api.ts";
import { Button, SearchInput, Select } from "../../components/controls.tsx";
import { projectOptions, useProjects } from "../../components/filters.tsx";
import { useDebounced } from "../../components/hooks.ts";
import { ErrorBox, Loaded } from "../../components/page.tsx";
import { Time, TypeBadge } from "../../components/text.tsx";
import { report, toast } from "../../components/toast.tsx";
import { route, withQuery } from "../../router.ts";
import type { AnyObservation } from "./observation.tsx";

/** Called with true when the change was saved, with false when the form was cancelled. */
type Done = (isChanged: boolean) => void;

interface FormProps {
  /** Sends the form; `field(name)` returns the text of a field. */
  send: (field: (name: string) => string) => Promise<unknown>;
  done: Done;
  children: ComponentChildren;
}

function Form({ send: sendFields, done, children }: FormProps) {
  const error = useSignal<ApiError | undefined>(undefined);
  const isSaving = useSignal(false);
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    isSaving.value = true;
    try {
      await sendFields((name) => String(form.get(name) ?? "").trim());
      toast("Saved.");
      done(true);
    } catch (cause) {
      error.value = asApiError(cause);
    } finally {
      isSaving.value = false;
    }
  };
  return (
    <form class="form card stack" onSubmit={(event) => void save(event)}>
      {children}
      {error.value !== undefined && <ErrorBox error={error.value} />}
      <div class="inline">
        <Button label="Save" class="button primary" disabled={isSaving.value} />
        <Button label="Cancel" type="button" onClick={() => done(false)} />
      </div>
    </form>
  );
}

function TypeField({ initial }: { initial: string }) {
  return (
    <label>
      Type
      <Select class="field" name="type" options={OBSERVATION_TYPES} initial={initial} />
    </label>
  );
}

export function AddForm({ done }: { done: Done }) {
  const projects = useProjects();
  const add = (field: (name: string) => string): Promise<unknown> => {
    const scope = field("project") === "" ? { all: true } : { project: field("project") };
    const reason = field("reason") === "" ? {} : { reason: field("reason") };
    return send("POST", "/api/observations", { text: field("text"), type: field("type"), ...reason, ...scope });
  };
  return (
    <Form send={add} done={done}>
      <label>
        What should C-Mem remember?
        <textarea class="field" name="text" rows={3} required autofocus placeholder="Dates are stored in UTC." />
      </label>
      <label>
        Why? (optional)
        <input class="field" name="reason" maxLength={4000} placeholder="Servers run in several time zones." />
      </label>
      <div class="tiles">
        <TypeField initial="decision" />
        <label>
          Project
          <Select
            class="field"
            name="project"
            anyLabel="All projects"
            options={projectOptions(projects)}
            initial={route.peek().query.get("project") ?? ""}
          />
        </label>
      </div>
    </Form>
  );
}

export function EditForm({ observation, done }: { observation: AnyObservation; done: Done }) {
  const edit = (field: (name: string) => string): Promise<unknown> =>
    send("PATCH", `/api/observations/${observation.id}`, {
      title: field("title"),
      type: field("type"),
      text: field("narrative"),
      facts: field("facts")
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean),
    });
  return (
    <Form send={edit} done={done}>
      <label>
        Title
        <input class="field" name="title" required maxLength={400} defaultValue={observation.title} />
      </label>
      <TypeField initial={observation.type} />
      <label>
        Text
        <textarea class="field" name="narrative" rows={5} required defaultValue={observation.narrative} />
      </label>
      <label>
        Facts, one per line
        <textarea class="field" name="facts" rows={3} defaultValue={observation.facts.join("\n")} />
      </label>
    </Form>
  );
}

const MAX_CANDIDATES = 8;

/** Lets the user search for the observation that replaces this one. */
export function ReplaceForm({ observation, done }: { observation: AnyObservation; done: Done }) {
  const words = useSignal(observation.title);
  const query = useDebounced(words, 150);
  const found = useLoad<typeof observations>(() =>
    withQuery("/api/observations", {
      q: query.value,
      project: observation.project_key ?? undefined,
      limit: MAX_CANDIDATES + 1,
    }),
  );
  const others = ({ results }: DataOf<typeof observations>) =>
    results.filter(({ id }) => id !== observation.id).slice(0, MAX_CANDIDATES);
  const replace = async (successor: string): Promise<void> => {
    const change = send("PUT", `/api/observations/${observation.id}/successor`, { by: successor });
    if (await report(change, "Marked as replaced.")) done(true);
  };
  return (
    <section class="form card stack" aria-label="Replacement">
      <label>
        Which observation replaces it?
        <SearchInput class="field" text={words} label="Which observation replaces it?" />
      </label>
      <Loaded from={found} isEmpty={(data) => others(data).length === 0} empty="No other observation matches.">
        {({ data }) => (
          <ul class="candidates">
            {others(data).map(({ id, type, title, valid_from: at }) => (
              <li key={id}>
                <button class="row observation-head cells" onClick={() => void replace(id)}>
                  <TypeBadge type={type} />
                  <span class="title">{title}</span>
                  <span class="meta">
                    <Time at={at} />
                  </span>
                </button>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </section>
  );
}
