// Rewording an observation in place. What a person wrote is never overwritten by what is derived.
import { useSignal } from "@preact/signals";
import { type ApiError, asApiError, send } from "../../api.ts";
import { ErrorBox } from "../../components/error-box.tsx";
import { toast } from "../../components/toast.tsx";
import type { AnyObservation } from "../../wire.ts";
import { TypeField } from "./type-field.tsx";

export function Edit({
  observation,
  close,
  saved,
}: {
  observation: AnyObservation;
  close: () => void;
  saved: () => void;
}) {
  const error = useSignal<ApiError | undefined>(undefined);
  const isSaving = useSignal(false);
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const text = (name: string): string => String(form.get(name) ?? "").trim();
    isSaving.value = true;
    try {
      await send("PATCH", `/api/observations/${observation.id}`, {
        title: text("title"),
        type: text("type"),
        text: text("narrative"),
        facts: text("facts")
          .split("\n")
          .map((line) => line.trim())
          .filter(Boolean),
      });
      toast("Saved.");
      saved();
    } catch (cause) {
      error.value = asApiError(cause);
    } finally {
      isSaving.value = false;
    }
  };
  return (
    <form class="form card" onSubmit={(event) => void save(event)}>
      <label>
        Title
        <input class="field" name="title" required maxLength={400} value={observation.title} />
      </label>
      <TypeField value={observation.type} />
      <label>
        What is known
        <textarea class="field" name="narrative" rows={5} required value={observation.narrative} />
      </label>
      <label>
        Facts, one a line
        <textarea class="field" name="facts" rows={3} value={observation.facts.join("\n")} />
      </label>
      {error.value !== undefined && <ErrorBox error={error.value} />}
      <div class="actions">
        <button class="button primary" disabled={isSaving.value}>
          Save
        </button>
        <button class="button" type="button" onClick={close}>
          Leave it as it is
        </button>
      </div>
    </form>
  );
}
