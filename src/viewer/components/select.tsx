// A drop-down list.
import type { SelectHTMLAttributes } from "preact";

export type Option = string | { value: string; label: string };

export interface SelectProps extends Pick<
  SelectHTMLAttributes,
  "id" | "name" | "class" | "value" | "disabled" | "aria-label"
> {
  options: readonly Option[];
  /** The first entry, with the value "". */
  any?: string;
  /** Selected at first, in a form that is read when it is sent. */
  initial?: string;
  pick?: (value: string) => void;
}

export function Select({ options, any, initial, pick, ...attributes }: SelectProps) {
  const all = any === undefined ? options : [{ value: "", label: any }, ...options];
  return (
    <select {...attributes} onChange={(event) => pick?.(event.currentTarget.value)}>
      {all.map((option) => {
        const { value, label } = typeof option === "string" ? { value: option, label: option } : option;
        return (
          <option key={value} value={value} selected={initial === undefined ? undefined : value === initial}>
            {label}
          </option>
        );
      })}
    </select>
  );
}
