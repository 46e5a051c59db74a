// Buttons, drop-down lists and search fields.
import type { Signal } from "@preact/signals";
import type { ButtonHTMLAttributes, InputHTMLAttributes, SelectHTMLAttributes } from "preact";
import { Icon, type IconName } from "./icon.tsx";

interface ButtonProps extends Pick<
  ButtonHTMLAttributes,
  "aria-controls" | "aria-expanded" | "aria-pressed" | "disabled" | "title" | "type" | "ref"
> {
  label: string;
  icon?: IconName;
  class?: string;
  onClick?: () => void;
}

export function Button({ label, icon, class: name = "button", ...attributes }: ButtonProps) {
  return (
    <button class={name} {...attributes}>
      {icon !== undefined && <Icon name={icon} />}
      {label}
    </button>
  );
}

export function IconButton({ label, icon = "close", class: name = "", ...attributes }: ButtonProps) {
  return (
    <button class={`icon-button ${name}`} aria-label={label} {...attributes}>
      <Icon name={icon} />
    </button>
  );
}

/** A button that opens and closes something. */
export function ToggleButton({ isOpen, ...button }: ButtonProps & { isOpen: Signal<boolean> }) {
  return <Button {...button} aria-expanded={isOpen.value} onClick={() => (isOpen.value = !isOpen.value)} />;
}

/** Labels by value, or a list of values that are shown as labels. */
export type Options = readonly string[] | Readonly<Record<string, string>>;

interface SelectProps extends Pick<
  SelectHTMLAttributes,
  "id" | "name" | "class" | "value" | "disabled" | "aria-label"
> {
  options: Options;
  /** Label of the first option, which has the value "". */
  anyLabel?: string;
  /** The option selected at first, for forms that read the value on submit. */
  initial?: string;
  onPick?: (value: string) => void;
}

export function Select({ options, anyLabel, initial, onPick, ...attributes }: SelectProps) {
  const listed = Array.isArray(options) ? options.map((each: string) => [each, each]) : Object.entries(options);
  const labels = new Map([...(anyLabel === undefined ? [] : [["", anyLabel]]), ...listed] as [string, string][]);
  // The value of a filter in the address is shown even before the filter's options are loaded.
  const selected = attributes.value ?? initial;
  if (selected !== undefined && !labels.has(String(selected))) labels.set(String(selected), String(selected));
  return (
    <select {...attributes} onChange={(event) => onPick?.(event.currentTarget.value)}>
      {[...labels].map(([value, label]) => (
        <option key={value} value={value} selected={initial === undefined ? undefined : value === initial}>
          {label}
        </option>
      ))}
    </select>
  );
}

interface SearchInputProps extends Pick<InputHTMLAttributes, "id" | "class" | "onKeyDown" | "ref"> {
  text: Signal<string>;
  label: string;
}

export function SearchInput({ text, label, ...attributes }: SearchInputProps) {
  return (
    <input
      type="search"
      class="grow"
      autocomplete="off"
      spellcheck={false}
      placeholder={label}
      aria-label={label}
      value={text.value}
      onInput={(event) => (text.value = event.currentTarget.value)}
      {...attributes}
    />
  );
}
