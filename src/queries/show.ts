// Shows a session turn by turn, or an observation with its evidence.
import { deriveSession } from "../memory/derive.ts";
import { onlyTurn, readAround, readTranscript } from "../recall/history/transcript.ts";
import { resolveSession } from "../recall/search/find-session.ts";
import { shortIds } from "../store/reads/short-ids.ts";
import { storyJson, storySchema } from "./observation-json.ts";
import { storyText } from "./observation-text.ts";
import { resolveObservation } from "./observations.ts";
import { defineQuery } from "./query.ts";
import { readScope, SCOPE, SESSION } from "./scope.ts";
import { transcriptJson, transcriptSchema } from "./transcript-json.ts";
import { transcriptText } from "./transcript-text.ts";

export const show = defineQuery({
  name: "show",
  about: "show a session turn by turn, or an observation",
  fields: {
    ...SESSION,
    tools: { kind: "flag", about: "show the input and output of tools" },
    thinking: { kind: "flag", about: "show the assistant's thinking" },
    turn: { kind: "number", about: "only this turn" },
    around: { kind: "text", value: "item", about: "only this item (p12, m34, t56) and its neighbours" },
    ...SCOPE,
  },
  reply: (z) => ({ data: z.union([storySchema(z), transcriptSchema(z)]) }),
  run({ id, tools, thinking, turn, around, ...input }, context) {
    const { db } = context;
    const story = resolveObservation(db, id);
    if (story !== undefined) return { data: storyJson(story), story };
    const { session, itemId } = resolveSession(db, id, () => readScope(input, context).scope);
    deriveSession(db, session.id, Date.now());
    const item = around ?? itemId;
    const whole = item === undefined ? readTranscript(db, session) : readAround(db, session, item);
    const transcript = item === undefined && turn !== undefined ? onlyTurn(whole, turn) : whole;
    return { data: transcriptJson(transcript, { tools, thinking }), transcript };
  },
  text(result, { input, db }) {
    if ("story" in result) return storyText(result.story, shortIds(db, [result.story.session?.session_id]));
    return transcriptText(result.transcript, input, db);
  },
});
