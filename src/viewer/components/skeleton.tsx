// Where something will stand: as tall as it, so that nothing moves when it comes.

export function Skeleton({ lines = 3, class: name = "" }: { lines?: number; class?: string }) {
  return (
    <div class={`skeleton ${name}`} aria-hidden="true">
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class={`bone bone-${index % 4}`} />
      ))}
    </div>
  );
}

/** A list of rows on their way. */
export function ListSkeleton({ rows = 8 }: { rows?: number }) {
  return (
    <div class="list-skeleton">
      <span class="hidden" role="status">
        Loading
      </span>
      {Array.from({ length: rows }, (_, index) => (
        <Skeleton key={index} lines={2} class="row" />
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
