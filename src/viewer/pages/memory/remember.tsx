// Something a person writes down, for one project or for all.
import { useSignal } from "@preact/signals";
import { type ApiError, asApiError, send, useLoad } from "../../api.ts";
import { ErrorBox } from "../../components/error-box.tsx";
import { toast } from "../../components/toast.tsx";
import { route } from "../../router.ts";
import type { ProjectEntry } from "../../wire.ts";
import { TypeField } from "./type-field.tsx";

export function Remember({ close, saved }: { close: () => void; saved: () => void }) {
  const error = useSignal<ApiError | undefined>(undefined);
  const projects = useLoad<{ results: ProjectEntry[] }>(() => "/api/projects");
  const save = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    const project = String(form.get("project") ?? "");
    try {
      await send("POST", "/api/observations", {
        text: String(form.get("text") ?? ""),
        type: String(form.get("type") ?? "decision"),
        ...(project === "" ? { all: true } : { project }),
      });
      toast("Remembered.");
      saved();
      close();
    } catch (cause) {
      error.value = asApiError(cause);
    }
  };
  return (
    <form class="form card" onSubmit={(event) => void save(event)}>
      <label>
        What should be remembered?
        <textarea class="field" name="text" rows={3} required autofocus placeholder="Dates are stored in UTC." />
      </label>
      <div class="form-row">
        <TypeField />
        <label>
          Project
          <select class="field" name="project" value={route.value.query.get("project") ?? ""}>
            <option value="">Every project</option>
            {(projects.load.value.reply?.data.results ?? []).map(({ key, name }) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </select>
        </label>
      </div>
      {error.value !== undefined && <ErrorBox error={error.value} />}
      <div class="actions">
        <button class="button primary">Remember</button>
        <button class="button" type="button" onClick={close}>
          Cancel
        </button>
      </div>
    </form>
  );
}
