// What a model server may do with a request, in any protocol.

export type Scene =
  /** A correct answer. */
  | { kind: "answer"; value: object }
  /** Text instead of the requested structured answer. */
  | { kind: "words"; text: string }
  | { kind: "refusal" }
  | { kind: "truncated" }
  /** An HTTP status instead of an answer. */
  | { kind: "status"; status: number; message?: string; headers?: Record<string, string> }
  /** An error event after the first events. Only for streamed replies. */
  | { kind: "error-in-stream"; type: string }
  /** A reply without its final event. */
  | { kind: "broken-off" }
  /** The connection is closed in the middle of the reply. */
  | { kind: "reset" }
  /** A reply that does not follow the protocol. */
  | { kind: "nonsense" }
  /** No reply. */
  | { kind: "silence" }
  /** An endless slow reply. */
  | { kind: "drip" }
  /** An endless fast reply. */
  | { kind: "flood" };

export const VALUE = { observations: [], summary: { request: 'A & B < C — “ü” 漢字 \n"quoted"' } };
export const USAGE = { input: 321, output: 45 };
