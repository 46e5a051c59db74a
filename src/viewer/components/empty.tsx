// Nothing to show: why, and what to do about it.
import type { ComponentChildren } from "preact";

export function Empty({
  title,
  heading = "h2",
  children,
}: {
  title: string;
  heading?: "h1" | "h2";
  children?: ComponentChildren;
}) {
  const Heading = heading;
  return (
    <section class="empty">
      <Heading>{title}</Heading>
      {children}
    </section>
  );
}
