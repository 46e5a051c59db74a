// Of which type an observation is, in a form.
import { OBSERVATION_TYPES, type ObservationType } from "../../../core/memory.ts";

export function TypeField({ value = "decision" }: { value?: ObservationType }) {
  return (
    <label>
      Type
      <select class="field" name="type" value={value}>
        {OBSERVATION_TYPES.map((type) => (
          <option key={type} value={type}>
            {type}
          </option>
        ))}
      </select>
    </label>
  );
}
