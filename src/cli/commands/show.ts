// c-mem show: one session as it reads, or one observation with what it rests on.
import { type Asked, questionOf } from "../../queries/legacy.ts";
import { storyJson } from "../../queries/observation-json.ts";
import { resolveObservation } from "../../queries/observations.ts";
import { positiveInteger } from "../../queries/legacy.ts";
import { transcriptJson } from "../../queries/transcript-json.ts";
import { deriveSession } from "../../memory/derive.ts";
import { resolveSession } from "../../recall/search/find-session.ts";
import { type Item, onlyTurn, readAround, readTranscript, type Transcript } from "../../recall/history/transcript.ts";
import { shortIds } from "../../store/reads/short-ids.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { storyText } from "../../queries/observation-text.ts";
import { EXIT, print, printJson } from "../output.ts";
import { ask } from "../question.ts";
import { transcriptText } from "../transcript-text.ts";

export function run({ args, flags, json }: CommandOptions): number {
  return ask(flags, (asked) => {
    const story = resolveObservation(asked.db, args[0] ?? "");
    if (story !== undefined) {
      if (json) printJson("show", storyJson(story));
      else print(storyText(story, shortIds(asked.db, [story.session?.session_id])));
      return EXIT.ok;
    }
    const transcript = choose(asked, args[0] ?? "");
    const detail = { tools: flags["tools"] === true, thinking: flags["thinking"] === true };
    if (json) printJson("show", transcriptJson(transcript, detail));
    else {
      const ids = transcript.turns.flatMap((turn) => subagentIds(turn.items));
      print(transcriptText(transcript, { ...detail, shortId: shortIds(asked.db, ids) }));
    }
    return EXIT.ok;
  });
}

function subagentIds(items: readonly Item[]): string[] {
  return items.flatMap((item) =>
    item.kind === "subagent" ? [item.session.session_id, ...subagentIds(item.items)] : [],
  );
}

function choose(asked: Asked, name: string): Transcript {
  const { db, flags } = asked;
  const { session, itemId } = resolveSession(db, name, () => questionOf(asked, 1).scope);
  deriveSession(db, session.id, Date.now());
  const around = flags["around"] === undefined ? itemId : String(flags["around"]);
  if (around !== undefined) return readAround(db, session, around);
  const transcript = readTranscript(db, session);
  return flags["turn"] === undefined ? transcript : onlyTurn(transcript, positiveInteger("--turn", flags["turn"]));
}
