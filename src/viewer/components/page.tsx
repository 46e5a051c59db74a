// The frame of a page: links to the pages above it, its heading, and its content.
import type { ComponentChildren } from "preact";

interface PageHeadProps {
  title: ComponentChildren;
  about?: ComponentChildren;
  /** Buttons beside the heading. */
  actions?: ComponentChildren;
}

interface PageFrameProps extends Partial<PageHeadProps> {
  crumbs?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}

/** Without a title the content brings its own <PageHead>, once it is loaded. */
export function PageFrame({ title, crumbs, class: name = "", children, ...head }: PageFrameProps) {
  return (
    <div class={`page ${name}`}>
      {crumbs !== undefined && <p class="meta crumbs">{crumbs}</p>}
      {title !== undefined && <PageHead title={title} {...head} />}
      {children}
    </div>
  );
}

export function PageHead({ title, about, actions }: PageHeadProps) {
  return (
    <header class="page-head inline">
      <h1>{title}</h1>
      {about !== undefined && <p class="muted">{about}</p>}
      {actions}
    </header>
  );
}
