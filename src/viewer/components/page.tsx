// The frame of a page, and what it shows while a reply loads, or when the reply is an error or empty.
import type { ComponentChildren } from "preact";
import type { ApiError, LoadHandle, Reply } from "../api.ts";
import { Button } from "./controls.tsx";
import { Icon } from "./icon.tsx";
import { Paragraph, richText } from "./text.tsx";

interface PageFrameProps {
  /** Links to the pages above this one. */
  crumbs?: ComponentChildren;
  /** Undefined while it loads, or if `children` contain the heading. */
  title?: ComponentChildren;
  about?: ComponentChildren;
  /** Buttons beside the heading. */
  actions?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
}

export function PageFrame({ crumbs, title, about, actions, class: name = "", children }: PageFrameProps) {
  return (
    <div class={`page ${name}`}>
      {crumbs !== undefined && <p class="meta crumbs">{crumbs}</p>}
      {title !== undefined && (
        <header class="page-head inline">
          <h1>{title}</h1>
          {about !== undefined && <p class="muted">{about}</p>}
          {actions}
        </header>
      )}
      {children}
    </div>
  );
}

interface LoadedProps<Data, Meta> {
  from: LoadHandle<Data, Meta>;
  skeleton?: ComponentChildren;
  /** Shown for an empty reply: a grey line, or a title with advice. */
  empty?: string | EmptyProps;
  /** Default: whether `results` is an empty list. */
  isEmpty?: (data: Data) => boolean;
  children: (reply: Reply<Data, Meta>) => ComponentChildren;
}

/** Shows the reply or the error. Below a list with more rows, shows a button that loads them. */
export function Loaded<Data, Meta>({
  from,
  skeleton = <Skeleton />,
  empty,
  isEmpty = hasNoResults,
  children,
}: LoadedProps<Data, Meta>) {
  const { reply, error, isLoading } = from.load.value;
  const nothing = typeof empty === "string" ? <Paragraph class="muted" text={empty} /> : empty && <Empty {...empty} />;
  if (error?.code === "nothing_found" && nothing !== undefined) return nothing;
  if (error !== undefined) return <ErrorBox error={error} retry={from.reload} />;
  if (reply === undefined) return isLoading ? skeleton : null;
  const { has_more: hasMore } = reply.meta as { has_more?: boolean };
  return (
    <div aria-busy={isLoading}>
      {nothing !== undefined && isEmpty(reply.data) ? nothing : children(reply)}
      {from.showMore !== undefined && hasMore === true && (
        <Button label="Show more" class="button show-more" onClick={from.showMore} />
      )}
    </div>
  );
}

function hasNoResults(data: unknown): boolean {
  return (data as { results?: unknown[] } | null)?.results?.length === 0;
}

/** Says that there is nothing to show, and what the user can do. */
export function Empty({ title, text, heading: Heading = "h2", children }: EmptyProps) {
  return (
    <section class="empty">
      <Heading>{title}</Heading>
      <Paragraph text={text} />
      {children}
    </section>
  );
}

interface EmptyProps {
  title: string;
  text?: string;
  /** "h1" if the page has no other heading. */
  heading?: "h1" | "h2";
  children?: ComponentChildren;
}

export function ErrorBox({ error, hint, retry }: { error: ApiError; hint?: string; retry?: () => void }) {
  return (
    <section class="error-box card inline" role="alert">
      <Icon name="warning" />
      <div>
        <strong>{richText(error.message)}</strong>
        <Paragraph class="muted" text={error.hint ?? hint} />
      </div>
      {retry !== undefined && <Button label="Try again" onClick={retry} />}
    </section>
  );
}

/** Grey bars about as tall as the content, so that the page hardly moves when the content is loaded. */
export function Skeleton({ lines = 16, class: name = "" }: { lines?: number; class?: string }) {
  return (
    <div class={`skeleton ${name}`}>
      <span class="hidden" role="status">
        Loading
      </span>
      {Array.from({ length: lines }, (_, index) => (
        <div key={index} aria-hidden="true" />
      ))}
    </div>
  );
}
