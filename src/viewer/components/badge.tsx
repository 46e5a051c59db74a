// A word in a small frame. Its colour adds nothing that the word does not say.
import type { ComponentChildren } from "preact";

export type Tone = "plain" | "accent" | "good" | "bad" | "warn";

export function Badge({ tone = "plain", title, children }: BadgeProps) {
  return (
    <span class={`badge badge-${tone}`} title={title}>
      {children}
    </span>
  );
}

interface BadgeProps {
  tone?: Tone;
  title?: string;
  children: ComponentChildren;
}

/** The type of an observation: its colour as a dot, and the word. */
export function TypeBadge({ type }: { type: string }) {
  return (
    <span class={`type type-${type}`}>
      <span class="dot" aria-hidden="true" />
      {type}
    </span>
  );
}
