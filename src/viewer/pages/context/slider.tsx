// A number by sliding, said beside it.

export function Slider({
  label,
  value,
  min,
  max,
  step,
  change,
}: {
  label: string;
  value: number;
  min: number;
  max: number;
  step: number;
  change: (value: number) => void;
}) {
  return (
    <label class="slider">
      <span>
        {label} <b class="num">{value.toLocaleString("en")}</b>
      </span>
      <input
        type="range"
        min={min}
        max={Math.max(max, value)}
        step={step}
        value={value}
        onChange={(event) => change(event.currentTarget.valueAsNumber)}
      />
    </label>
  );
}
