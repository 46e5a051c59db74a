// How the summary of an interrupted turn says so, among its next steps.

export const TURN_INTERRUPTED = "The turn was interrupted before it was finished.";

/** Once the session goes on after that turn, it is no longer true of the session. */
export function withoutInterruption(nextSteps: string): string {
  return nextSteps.replace(TURN_INTERRUPTED, "").trim();
}
