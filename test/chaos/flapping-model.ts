// A model server on loopback that fails in different ways while `isHealthy` is false.
import { type Loopback, startLoopback, WIRES } from "../conformance/loopback.ts";
import { promptOf, readChatRequest } from "../conformance/model-request.ts";
import type { Scene } from "../conformance/scenes.ts";
import { sessionReply, turnsReply } from "../conformance/scripted-replies.ts";

export interface FlappingModel extends Loopback {
  isHealthy: boolean;
}

const BAD: readonly Scene[] = [
  { kind: "status", status: 500 },
  { kind: "status", status: 429, headers: { "retry-after": "1" } },
  { kind: "reset" },
  { kind: "silence" },
  { kind: "nonsense" },
  { kind: "broken-off" },
];

export async function startFlappingModel(random: () => number): Promise<FlappingModel> {
  const loopback = await startLoopback(WIRES.chat, [
    ({ body }) => {
      if (!model.isHealthy) return BAD[Math.floor(random() * BAD.length)] as Scene;
      return answerTo(body);
    },
  ]);
  const model = Object.assign(loopback, { isHealthy: true });
  return model;
}

/** An answer that cites the evidence in the question. */
function answerTo(body: Record<string, unknown>): Scene {
  const request = readChatRequest(body);
  const taskOf = (turn: number): string => /Do ([a-z0-9-]+):/.exec(promptOf(request, turn)?.text ?? "")?.[1] ?? "it";
  if (request.purpose === "session") {
    const lines = [`The tasks of ${taskOf(request.turns.at(-1) ?? 1)} were run`];
    return sessionReply(request, { title: lines.join(), completed: lines.join(), open: [], handover: lines });
  }
  return turnsReply(request, (turn) => ({
    notes: [
      {
        type: "change",
        title: `The tasks of ${taskOf(turn)} were run`,
        narrative: `All tasks of ${taskOf(turn)} ran to their end.`,
      },
    ],
    completed: `The tasks of ${taskOf(turn)} ran`,
  }));
}
