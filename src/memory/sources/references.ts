// Reads the pull requests and issues of a turn: numbers, titles and what was done with them.
import { asObject, asString, parseJson } from "../../core/json.ts";
import { asReference, referencesIn } from "../../core/references.ts";
import { splitCommand } from "../../core/shell-command.ts";
import type { EvidenceToolUse, TurnEvidence } from "../../store/reads/turn-evidence.ts";

export interface ForgeReference {
  kind: "pr" | "issue";
  number: number;
  /** "" if the turn does not show it. */
  title: string;
  action: "created" | "merged" | "closed" | "reopened" | "edited" | "commented" | "viewed" | "mentioned";
  /** Item id of the tool use, message or prompt. */
  id: string;
}

/** One entry per number, with its weightiest action. Mentions are those of the prompt and of the agent's messages. */
export function turnReferences({ prompt, messages, toolUses }: TurnEvidence): ForgeReference[] {
  const texts = [
    { id: prompt.id, text: prompt.text },
    ...messages.filter(({ role, isSubagent }) => role === "assistant" && !isSubagent),
  ];
  const mentioned = texts.flatMap(({ id, text }) =>
    referencesIn(text).map(({ kind, number }): ForgeReference => ({
      kind,
      number,
      title: "",
      action: "mentioned",
      id,
    })),
  );
  return merged([...toolUses.flatMap(commandReferences), ...mentioned]);
}

const ACTIONS: Readonly<Record<string, ForgeReference["action"]>> = {
  create: "created",
  merge: "merged",
  close: "closed",
  reopen: "reopened",
  edit: "edited",
  ready: "edited",
  comment: "commented",
  review: "commented",
  view: "viewed",
  checkout: "viewed",
  diff: "viewed",
  checks: "viewed",
};
/** Weightiest first. */
const WEIGHT: readonly ForgeReference["action"][] = [
  "created",
  "merged",
  "closed",
  "reopened",
  "edited",
  "commented",
  "viewed",
  "mentioned",
];

const MAX_OUTPUT_CHARS = 20_000;

function commandReferences(use: EvidenceToolUse): ForgeReference[] {
  const command = use.name === "Bash" ? asString(use.input["command"]) : undefined;
  if (command === undefined || use.isError || !/\bgh (?:pr|issue) /.test(command)) return [];
  return splitCommand(command).flatMap((part) => {
    const [, kind, verb = "", rest = ""] = /^(?:\S+ )?gh (pr|issue) ([a-z]+)\b([\s\S]*)$/.exec(part) ?? [];
    const action = ACTIONS[verb];
    return kind === undefined || action === undefined
      ? []
      : readCall(use, { kind: kind as ForgeReference["kind"], action, rest, command });
  });
}

interface Call {
  kind: ForgeReference["kind"];
  action: ForgeReference["action"];
  /** The arguments, without a here-document. */
  rest: string;
  command: string;
}

function readCall(use: EvidenceToolUse, { kind, action, rest, command }: Call): ForgeReference[] {
  const output = use.output.slice(0, MAX_OUTPUT_CHARS);
  const argument = /^\s+(?:#?(\d{1,7})|(https:\/\/\S+))(?=\s|$)/.exec(rest);
  const named = argument?.[1] ?? String(asReference(argument?.[2] ?? "")?.number ?? "");
  const shown = asObject(parseJson(/^\s*\{/.test(output) ? output : undefined));
  const printed =
    action === "created" ? output.match(/https:\/\/\S+\/(?:pull|issues|merge_requests)\/\d+/g)?.at(-1) : "";
  const number = Number(
    named || (asReference(printed ?? "")?.number ?? shown?.["number"] ?? /^number:\s*(\d+)/m.exec(output)?.[1]),
  );
  if (!Number.isSafeInteger(number) || number <= 0) return [];
  const ownTitle = titleOption(command);
  const title = ownTitle || (asString(shown?.["title"]) ?? /^title:\s*(.+)$/m.exec(output)?.[1] ?? "");
  return [{ kind, number, title: title.trim(), action, id: use.id }];
}

/** The value of --title or -t. */
function titleOption(command: string): string {
  const [, double, single] = /(?:--title|\s-t)[= ]\s*(?:"((?:[^"\\]|\\.)*)"|'([^']*)')/.exec(command) ?? [];
  return (double ?? single ?? "").replace(/\\(.)/g, "$1");
}

function merged(references: readonly ForgeReference[]): ForgeReference[] {
  const byNumber = new Map<number, ForgeReference>();
  for (const one of references) {
    const other = byNumber.get(one.number);
    if (other === undefined) {
      byNumber.set(one.number, one);
      continue;
    }
    const isWeightier = WEIGHT.indexOf(one.action) < WEIGHT.indexOf(other.action);
    byNumber.set(one.number, { ...(isWeightier ? one : other), title: other.title || one.title });
  }
  return [...byNumber.values()];
}
