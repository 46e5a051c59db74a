// Buttons with a text, and buttons with only an icon.
import type { Signal } from "@preact/signals";
import type { ButtonHTMLAttributes } from "preact";
import { Icon, type IconName } from "./icon.tsx";

type Attribute = "aria-controls" | "aria-expanded" | "aria-pressed" | "disabled" | "title" | "type" | "ref";

interface ButtonProps extends Pick<ButtonHTMLAttributes, Attribute> {
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
