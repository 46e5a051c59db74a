// A model server on loopback that fails in different ways while `isHealthy` is false.
import { type Loopback, startLoopback, WIRES } from "../conformance/loopback.ts";
import type { Scene } from "../conformance/scenes.ts";

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
      return { kind: "answer", value: answerTo(JSON.stringify(body)) };
    },
  ]);
  const model = Object.assign(loopback, { isHealthy: true });
  return model;
}

/** An answer that cites the evidence in the question. */
function answerTo(question: string): object {
  const ids = [...new Set([...question.matchAll(/=== ([pmt]\d+) /g)].map((match) => match[1] ?? ""))];
  const task = /Do ([a-z0-9-]+):/.exec(question)?.[1] ?? "it";
  return {
    observations: [
      {
        type: "change",
        title: `The tasks of ${task} were run`,
        subtitle: "",
        narrative: `All tasks of ${task} ran to their end.`,
        facts: [`npm run task-${task}-t0 is done`],
        concepts: ["what-changed"],
        files: [],
        evidence: ids.slice(0, 2),
      },
    ],
    summary: {
      request: `Run the tasks of ${task}`,
      investigated: "",
      learned: "",
      completed: `The tasks of ${task} ran`,
      next_steps: "",
      notes: "",
      evidence: ids.slice(0, 1),
    },
  };
}
