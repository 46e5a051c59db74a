// What a model may do when it is asked, whatever protocol it speaks.

export type Scene =
  /** As it should be. */
  | { kind: "answer"; value: object }
  /** In words where a structured answer was asked for. */
  | { kind: "words"; text: string }
  | { kind: "refusal" }
  | { kind: "truncated" }
  /** An HTTP status instead of an answer. */
  | { kind: "status"; status: number; message?: string; headers?: Record<string, string> }
  /** Trouble after a good beginning: only where the answer is streamed. */
  | { kind: "error-in-stream"; type: string }
  | { kind: "broken-off" }
  | { kind: "reset" }
  /** Not what the protocol says. */
  | { kind: "nonsense" }
  | { kind: "silence" }
  /** A word now and then, for ever. */
  | { kind: "drip" }
  /** Words without end, as fast as they go. */
  | { kind: "flood" };

export const VALUE = { observations: [], summary: { request: 'A & B < C — “ü” 漢字 \n"quoted"' } };
export const USAGE = { input: 321, output: 45 };
