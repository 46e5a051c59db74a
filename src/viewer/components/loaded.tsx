// What `useLoad` loads, in the state it is in: on its way, gone wrong, empty, there.
import type { ComponentChildren } from "preact";
import type { Loading, Reply } from "../api.ts";
import { ErrorBox } from "./error-box.tsx";
import { ListSkeleton } from "./skeleton.tsx";

export function Loaded<Data, Meta>({
  from,
  skeleton = <ListSkeleton />,
  empty,
  isEmpty,
  children,
}: {
  from: Loading<Data, Meta>;
  skeleton?: ComponentChildren;
  /** Shown where `isEmpty` says so; without it lists are empty when `results` is. */
  empty?: ComponentChildren;
  isEmpty?: (data: Data) => boolean;
  children: (reply: Reply<Data, Meta>) => ComponentChildren;
}) {
  const { reply, error, isLoading } = from.load.value;
  // A question without an answer is no error.
  if (error?.code === "nothing_found" && empty !== undefined) return <>{empty}</>;
  if (error !== undefined) return <ErrorBox error={error} retry={from.reload} />;
  if (reply === undefined) return isLoading ? <>{skeleton}</> : null;
  const nothing = isEmpty === undefined ? hasNoResults(reply.data) : isEmpty(reply.data);
  return (
    <div class="loaded" aria-busy={isLoading}>
      {nothing && empty !== undefined ? empty : children(reply)}
    </div>
  );
}

function hasNoResults(data: unknown): boolean {
  const results = (data as { results?: unknown } | null)?.results;
  return Array.isArray(results) && results.length === 0;
}
