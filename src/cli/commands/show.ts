// c-mem show: one session as it reads, or one observation with what it rests on.
import { AppError } from "../../core/error.ts";
import { deriveSession } from "../../memory/derive.ts";
import { resolveSession } from "../../recall/find-session.ts";
import { readObservation } from "../../recall/observation.ts";
import { onlyTurn, readAround, readTranscript, type Transcript } from "../../recall/transcript.ts";
import { parseObservationId } from "../../store/items.ts";
import type { CommandOptions } from "../table.ts";
import { storyJson, storyText } from "../observation-text.ts";
import { EXIT, print, printJson } from "../output.ts";
import { type Asked, ask } from "../question.ts";
import { positiveInteger } from "../scope.ts";
import { transcriptJson } from "../transcript-json.ts";
import { transcriptText } from "../transcript-text.ts";

export function run({ args, flags, json }: CommandOptions): number {
  return ask(flags, 1, (asked) => {
    const id = parseObservationId(args[0] ?? "");
    const story = id === undefined ? undefined : readObservation(asked.db, id);
    if (story !== undefined) {
      if (json) printJson("show", storyJson(story));
      else print(storyText(story));
      return EXIT.ok;
    }
    if (id !== undefined) {
      throw new AppError("nothing_found", `There is no observation "${args[0] ?? ""}".`, {
        hint: "`c-mem observations` lists those there are; deriving memory anew may give others.",
      });
    }
    const transcript = choose(asked, args[0] ?? "", flags);
    const detail = { tools: flags["tools"] === true, thinking: flags["thinking"] === true };
    if (json) printJson("show", transcriptJson(transcript, detail));
    else print(transcriptText(transcript, detail));
    return EXIT.ok;
  });
}

function choose({ db, question }: Asked, name: string, flags: Record<string, unknown>): Transcript {
  const { session, itemId } = resolveSession(db, name, () => question().scope);
  deriveSession(db, session.id, Date.now());
  const around = flags["around"] === undefined ? itemId : String(flags["around"]);
  if (around !== undefined) return readAround(db, session, around);
  const transcript = readTranscript(db, session);
  return flags["turn"] === undefined ? transcript : onlyTurn(transcript, positiveInteger("--turn", flags["turn"]));
}
