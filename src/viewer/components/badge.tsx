// A word in a small frame. The tone says more only to those who see colours; the word says it all.
import type { ComponentChildren } from "preact";

export type Tone = "plain" | "accent" | "good" | "bad" | "warn";

export function Badge({
  tone = "plain",
  title,
  children,
}: {
  tone?: Tone;
  title?: string;
  children: ComponentChildren;
}) {
  return (
    <span class={`badge badge-${tone}`} title={title}>
      {children}
    </span>
  );
}

/** The type of an observation: a dot in its colour and the word. */
export function TypeBadge({ type }: { type: string }) {
  return (
    <span class={`type type-${type}`}>
      <span class="dot" aria-hidden="true" />
      {type}
    </span>
  );
}
