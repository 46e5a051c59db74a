// handover: the agent's own summary of its session for the next one, saved when the user asks for it.
import { drainSpool } from "../capture/live/drain.ts";
import { findProjectHere } from "../capture/capture-context.ts";
import { AppError, usageError } from "../core/error.ts";
import { readHandover, saveHandover } from "../memory/handover.ts";
import { fields, type InputOf } from "../queries/fields.ts";
import { shortIds } from "../store/reads/short-ids.ts";
import { sessionsByPrefix } from "../store/reads/session-list.ts";
import { type LastTurn, lastTurnOf } from "../store/reads/running-turns.ts";
import { findClientTurn, requirePublic, requireRecording } from "./client-session.ts";
import { type Answer, type Call, defineTool } from "./tool.ts";
import { safeLine } from "./text.ts";

const FIELDS = fields({
  title: { kind: "text", required: true, about: "" },
  subtitle: { kind: "text", about: "" },
  handover: { kind: "text", required: true, about: "up to 6 lines that the next session needs" },
  decisions: { kind: "text", about: "one a line, with its reason" },
  learned: { kind: "text", about: "" },
  completed: { kind: "text", about: "" },
  open: { kind: "text", about: "what is left to do" },
  session: { kind: "text", maxChars: 200, about: "" },
});

export const handover = defineTool({
  name: "handover",
  description: "Only when the user asks: save your summary of this session for the next one.",
  fields: FIELDS,
  annotations: { destructiveHint: false },
  isWriting: true,
  run: handOver,
});

function handOver({ session, ...input }: InputOf<typeof FIELDS>, call: Call): Answer {
  const { db, now } = call;
  requireRecording(call);
  const clean = readHandover(input);
  const turn = findTurn(call, session);
  const saved = saveHandover(db, turn, clean, now).decisions;
  const known = saved.filter(({ isNew }) => !isNew);
  const named = (list: typeof saved): string => list.map(({ id }) => `o${id}`).join(", ");
  const fresh = saved.filter(({ isNew }) => isNew);
  return {
    text: [
      `Saved as the summary of session ${shortIds(db, [turn.sessionId])(turn.sessionId)} up to turn ${turn.promptNumber}: ${safeLine(clean.title, 100)}`,
      ...(fresh.length === 0 ? [] : [`Decisions saved: ${named(fresh)}.`]),
      ...(known.length === 0 ? [] : [`Decisions already known: ${named(known)}.`]),
      ...fresh.flatMap(({ id, alike }) =>
        alike.map((one) => `o${one.id} may contradict o${id}: ${safeLine(one.title, 120)}`),
      ),
    ].join("\n"),
  };
}

/** The rest of the spool is drained first if the session is not stored yet. */
const DRAIN_MS = 5_000;

function findTurn(call: Call, named: string | undefined): LastTurn {
  const find = (): LastTurn | undefined =>
    // A client that does not replace "${CLAUDE_SESSION_ID}" in a command sends it as it is.
    named === undefined || named.startsWith("$") ? findClientTurn(call) : findNamed(call, named);
  const found = find();
  if (found !== undefined) return found;
  drainSpool(call.db, call.paths.spool, { maxMs: DRAIN_MS });
  const turn = find();
  if (turn !== undefined) return turn;
  throw new AppError("nothing_found", "Nothing was saved: C-Mem cannot tell which session this is.", {
    hint: "Call again with session: its id. `search` without a query lists the newest sessions.",
  });
}

/** `name`: the session's id, or the start of it as `search` prints it. */
function findNamed(call: Call, name: string): LastTurn | undefined {
  const found = sessionsByPrefix(call.db, name);
  const sessionId = found.length === 1 ? (found[0]?.session_id ?? name) : name;
  requirePublic(call, sessionId);
  const turn = lastTurnOf(call.db, sessionId);
  if (turn === undefined || turn.projectId === findProjectHere(call.db, call).known?.id) return turn;
  throw usageError(`Session ${safeLine(sessionId, 60)} belongs to another project.`, "Leave out session.");
}
