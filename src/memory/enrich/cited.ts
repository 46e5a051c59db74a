// The text of every piece of evidence, to check what cites it.
import { asArray } from "../../core/json.ts";
import type { Origin } from "../../core/memory.ts";
import { plainWords } from "../../core/words.ts";
import type { EvidenceToolUse, TurnEvidence } from "../../store/reads/turn-evidence.ts";
import { type Answer, userAnswers } from "../sources/answers.ts";
import type { Ground, Sources, Tally } from "./grounding.ts";
import { isChange } from "./turn-record.ts";
import type { RecordedTurn } from "./turns-request.ts";

export interface Piece {
  /** In lower case, in full: the record that the model saw may be shortened. */
  text: string;
  /** Who wrote it. Edits are the agent's. */
  origin: Origin;
  /** What the user wrote or answered, and what the agent said, as plain words. Both "" for output of tools. */
  asked: string;
  said: string;
  /** The user's whole prompts and answers, as plain words. */
  replies: readonly string[];
  /** What was said or done here, without what tools returned. */
  done: string;
  /** What tools printed in its turn, as plain words: what the agent repeats of it settles nothing. */
  printed: string;
}

/** The pieces of a turn by id: "p12", "m34", "t56". */
export function piecesOf(evidence: TurnEvidence): Map<string, Piece> {
  const { prompt, messages, toolUses, commits, project } = evidence;
  const answers = new Map(userAnswers(evidence).map((answer): [string, Answer] => [answer.id, answer]));
  const commitLines = commits.map(({ sha, subject }) => `${sha} ${subject}`);
  // The prompt's id also stands for its turn: the agent's last words and its commits.
  const ofPrompt = [project, prompt.text, prompt.response, ...commitLines].join("\n");
  const isOutput = (use: EvidenceToolUse): boolean => !answers.has(use.id) && !isChange(use);
  const printed = plainWords(
    toolUses
      .filter(isOutput)
      .map(({ output }) => output)
      .join("\n"),
  );
  return new Map<string, Piece>([
    [
      prompt.id,
      {
        text: ofPrompt.toLowerCase(),
        origin: "user",
        asked: plainWords(prompt.text),
        said: plainWords(prompt.response),
        replies: [plainWords(prompt.text)],
        done: ofPrompt,
        printed,
      },
    ],
    ...messages.map(({ id, text }): [string, Piece] => [
      id,
      { ...NOT_ASKED, text: text.toLowerCase(), origin: "assistant", said: plainWords(text), done: text, printed },
    ]),
    ...toolUses.map((use): [string, Piece] => {
      const answer = answers.get(use.id);
      const text = textOfUse(use).toLowerCase();
      if (answer !== undefined) return [use.id, { ...ofAnswer(answer), text, printed }];
      const origin: Origin = isChange(use) ? "assistant" : "tool";
      return [use.id, { ...NOT_ASKED, text, origin, said: "", done: inputOf(use), printed }];
    }),
  ]);
}

const NOT_ASKED = { asked: "", replies: [] };

function ofAnswer({ question, choice, notes }: Answer): Omit<Piece, "text" | "printed"> {
  const done = `${question}\n${choice}\n${notes}`;
  return { origin: "user", asked: plainWords(done), said: "", replies: [choice, notes].map(plainWords), done };
}

function inputOf({ input, files }: EvidenceToolUse): string {
  return [...Object.values(input), ...files.map(({ path }) => path)]
    .filter((value) => typeof value === "string")
    .join("\n");
}

function textOfUse(use: EvidenceToolUse): string {
  return [
    use.name,
    JSON.stringify(use.input),
    ...Object.values(use.input).filter((value) => typeof value === "string"),
    use.output,
    String(use.exitCode ?? ""),
    ...use.files.map((file) => `${file.path} +${file.added ?? 0} -${file.removed ?? 0}`),
  ].join("\n");
}

/** What a claim that cites these pieces is checked against. */
export function groundOf(pieces: readonly Piece[], asked: string, tally: Tally): Ground {
  return { text: pieces.map(({ text }) => text).join("\n"), asked, tally };
}

export function sourcesOf(pieces: ReadonlyMap<string, Piece>): Sources {
  const all = [...pieces.values()];
  return { own: plainWords(all.map(({ done }) => done).join("\n")), printed: all[0]?.printed ?? "" };
}

/** What the user wrote and answered in the turn, as plain words. */
export function askedIn(pieces: ReadonlyMap<string, Piece>): string {
  return [...pieces.values()].map(({ asked }) => asked).join("\n");
}

/** What was said in the turn, as plain words. */
function conversationOf(pieces: ReadonlyMap<string, Piece>): string {
  return [...pieces.values()].map(({ asked, said }) => `${asked}\n${said}`).join("\n");
}

/** A turn as the model was shown it, to check what cites it. */
export interface ShownTurn {
  evidence: TurnEvidence;
  ids: ReadonlySet<string>;
  pieces: ReadonlyMap<string, Piece>;
  asked: string;
  conversation: string;
}

export function readShownTurn({ evidence, record }: RecordedTurn): ShownTurn {
  const pieces = piecesOf(evidence);
  return { evidence, ids: record.ids, pieces, asked: askedIn(pieces), conversation: conversationOf(pieces) };
}

export function citedIds(raw: unknown, ids: ReadonlySet<string>): string[] {
  const cited = asArray(raw).filter((id): id is string => typeof id === "string" && ids.has(id));
  return [...new Set(cited)];
}
