// Tool calls that wait for their result. A list, not a map: reader state is plain JSON, and ids come from outside.

/** Calls that are never answered must not pile up: the oldest are forgotten. */
const MAX_WAITING = 500;

export function keepCall<Call extends { id: string }>(calls: Call[], call: Call): void {
  calls.push(call);
  if (calls.length > MAX_WAITING) calls.shift();
}

/** Newest first: an answer is nearly always to one of the last calls. */
export function findCall<Call extends { id: string }>(calls: readonly Call[], id: string): Call | undefined {
  return calls.findLast((call) => call.id === id);
}

export function takeCall<Call extends { id: string }>(calls: Call[], id: string): Call | undefined {
  const index = calls.findLastIndex((call) => call.id === id);
  return index < 0 ? undefined : calls.splice(index, 1)[0];
}
