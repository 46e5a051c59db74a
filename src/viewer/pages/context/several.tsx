// Some of a few words. None chosen means all.

export function Several({
  label,
  all,
  chosen,
  change,
}: {
  label: string;
  all: readonly string[];
  chosen: readonly string[];
  change: (chosen: string[]) => void;
}) {
  return (
    <fieldset class="several">
      <legend>
        {label} <span class="muted">{chosen.length === 0 ? "all" : `${chosen.length} of ${all.length}`}</span>
      </legend>
      {all.map((word) => (
        <label key={word}>
          <input
            type="checkbox"
            checked={chosen.includes(word)}
            onChange={(event) =>
              change(event.currentTarget.checked ? [...chosen, word] : chosen.filter((each) => each !== word))
            }
          />{" "}
          {word}
        </label>
      ))}
    </fieldset>
  );
}
