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

export type Option = string | { value: string; label: string };

interface SelectProps extends Pick<
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
