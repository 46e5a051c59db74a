// Counts the tokens that a tool sends to a model for sixty tool uses in six turns, without pauses between them.
import { runHooks } from "./hook-runner.ts";
import type { Runner } from "./hooks.ts";
import type { ModelServer } from "./model-server.ts";
import { bashUse, payloadOf } from "./payloads.ts";

const TURNS = 6;
const USES = 10;
const OUTPUT_CHARS = 3_000;
const WORDS = "const rows = await store.find(query, { limit: 20 }); // in the order of their time\n";

export interface TokenCount {
  requests: number;
  sent: number;
  received: number;
}

export async function measureTokens(
  { contestant, place }: Runner,
  model: ModelServer,
): Promise<TokenCount | undefined> {
  const file = contestant.hooks?.(place);
  if (file === undefined) return undefined;
  const session = "11111111-2222-4333-8444-555555555555";
  await runHooks(place, file, payloadOf("SessionStart", place, session));
  for (let turn = 0; turn < TURNS; turn++) {
    const prompt = `Task ${turn}: repair the store so that find() returns rows in the order of their time`;
    await runHooks(place, file, payloadOf("UserPromptSubmit", place, session, { prompt }));
    for (let use = 0; use < USES; use++) {
      const output = WORDS.repeat(OUTPUT_CHARS).slice(0, OUTPUT_CHARS);
      await runHooks(place, file, bashUse(place, session, `npm run step-${turn}-${use}`, output));
    }
    const message = `Step ${turn} of the store works: rows are returned in the order of their time. All tests pass.`;
    await runHooks(place, file, payloadOf("Stop", place, session, { last_assistant_message: message }));
    await contestant.settle?.(place);
  }
  await runHooks(place, file, payloadOf("SessionEnd", place, session));
  await contestant.settle?.(place);
  return { requests: model.requests, sent: model.sentTokens, received: model.replyTokens };
}
