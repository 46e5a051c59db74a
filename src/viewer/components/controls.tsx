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

/** Labels by value, or values that are their own labels. */
export type Options = readonly string[] | Readonly<Record<string, string>>;

interface SelectProps extends Pick<
  SelectHTMLAttributes,
  "id" | "name" | "class" | "value" | "disabled" | "aria-label"
> {
  options: Options;
  /** The first entry, with the value "". */
  any?: string;
  /** Selected at first, in a form that is read when it is sent. */
  initial?: string;
  pick?: (value: string) => void;
}

export function Select({ options, any, initial, pick, ...attributes }: SelectProps) {
  const listed = Array.isArray(options) ? options.map((each: string) => [each, each]) : Object.entries(options);
  const labels = new Map([...(any === undefined ? [] : [["", any]]), ...listed] as [string, string][]);
  // A filter from the address is shown even if its list is not loaded yet.
  const selected = attributes.value ?? initial;
  if (selected !== undefined && !labels.has(String(selected))) labels.set(String(selected), String(selected));
  return (
    <select {...attributes} onChange={(event) => pick?.(event.currentTarget.value)}>
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
