// The states of what a page loads: loading, failed, empty, loaded.
import type { ComponentChildren } from "preact";
import type { ApiError, Loading, Reply } from "../api.ts";
import { Icon } from "./icon.tsx";
import { Paragraph, richText } from "./text.tsx";

export interface LoadedProps<Data, Meta> {
  from: Loading<Data, Meta> & { showMore?: () => void };
  skeleton?: ComponentChildren;
  empty?: ComponentChildren;
  /** Default: `results` is an empty list. */
  isEmpty?: (data: Data) => boolean;
  children: (reply: Reply<Data, Meta>) => ComponentChildren;
}

/** Shows a reply, or why there is none; below a list that has more rows, a button that loads them. */
export function Loaded<Data, Meta>({
  from,
  skeleton = <ListSkeleton />,
  empty,
  isEmpty = hasNoResults,
  children,
}: LoadedProps<Data, Meta>) {
  const { reply, error, isLoading } = from.load.value;
  if (error?.code === "nothing_found" && empty !== undefined) return empty;
  if (error !== undefined) return <ErrorBox error={error} retry={from.reload} />;
  if (reply === undefined) return isLoading ? skeleton : null;
  const { has_more: hasMore } = reply.meta as { has_more?: boolean };
  return (
    <div aria-busy={isLoading}>
      {empty !== undefined && isEmpty(reply.data) ? empty : children(reply)}
      {from.showMore !== undefined && hasMore === true && (
        <button class="button show-more" onClick={from.showMore}>
          Show more
        </button>
      )}
    </div>
  );
}

function hasNoResults(data: unknown): boolean {
  return (data as { results?: unknown[] } | null)?.results?.length === 0;
}

/** Says that there is nothing to show, and what to do about it. */
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
  /** "h1" where the page has no other heading. */
  heading?: "h1" | "h2";
  children?: ComponentChildren;
}

export function ErrorBox({ error, hint, retry }: { error: ApiError; hint?: string; retry?: () => void }) {
  return (
    <section class="error-box" role="alert">
      <Icon name="warning" />
      <div>
        <strong>{richText(error.message)}</strong>
        <Paragraph text={error.hint ?? hint} />
      </div>
      {retry !== undefined && (
        <button class="button" onClick={retry}>
          Try again
        </button>
      )}
    </section>
  );
}

/** Grey bars as tall as what is loading, so that nothing moves when it arrives. */
export function Skeleton({ lines, class: name = "row" }: { lines: number; class?: string }) {
  return (
    <div class={`skeleton ${name}`} aria-hidden="true">
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} />
      ))}
    </div>
  );
}

function ListSkeleton() {
  return (
    <div>
      <span class="hidden" role="status">
        Loading
      </span>
      {Array.from({ length: 8 }, (_, index) => (
        <Skeleton key={index} lines={2} />
      ))}
    </div>
  );
}

export function PageSkeleton() {
  return (
    <div class="page">
      <Skeleton lines={1} class="head" />
      <ListSkeleton />
    </div>
  );
}
