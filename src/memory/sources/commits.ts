// Reads the commits of a turn: subject, body and hash. git prints the hash, the command has the message.
import { asString } from "../../core/json.ts";
import type { EvidenceToolUse, TurnEvidence } from "../../store/reads/turn-evidence.ts";

export interface TurnCommit {
  /** "" if git printed nothing: `git commit -q`, or an output that was filtered. */
  sha: string;
  subject: string;
  /** The message without subject and trailers, as Markdown. */
  body: string;
  /** Item id of the tool use, "" if it is unknown. */
  id: string;
  isAmend: boolean;
  /** True after `--amend --no-edit`: the subject says what an earlier turn did. */
  keepsMessage: boolean;
}

/** Oldest first. Of a commit and its amendments, only the last is listed. */
export function turnCommits({ commits, toolUses }: Pick<TurnEvidence, "commits" | "toolUses">): TurnCommit[] {
  const messages = toolUses.flatMap(messagesOf);
  const known = commits.map(({ sha, subject }): TurnCommit => {
    const use = toolUses.find(({ output }) => output.includes(sha) && output.includes(subject));
    const own = messages.filter((message) => message.use === use);
    const message = own.find((one) => one.subject === subject) ?? (own.length === 1 ? own[0] : undefined);
    const body = message?.subject === subject ? message.body : "";
    const { isAmend = false, keepsMessage = false } = message ?? {};
    return { sha, subject, body, id: use?.id ?? "", isAmend, keepsMessage };
  });
  const unknown = messages.filter(
    ({ use, subject }) => subject !== "" && hasCommitted(use) && !known.some((one) => one.id === use.id),
  );
  const all = [...known, ...unknown.map(({ use, ...message }) => ({ ...message, sha: "", id: use.id }))];
  const order = new Map(toolUses.map(({ id }, index) => [id, index]));
  return withoutAmended(all.toSorted((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0)));
}

/** Drops each commit that a later one replaces: with --amend, or with the same subject (after `git reset --soft`). */
export function withoutAmended<Commit extends Pick<TurnCommit, "subject" | "isAmend">>(
  commits: readonly Commit[],
): Commit[] {
  return commits.filter(({ subject }, index) => {
    const next = commits[index + 1];
    return next?.isAmend !== true && !commits.slice(index + 1).some((later) => later.subject === subject);
  });
}

type CommitMessage = Pick<TurnCommit, "subject" | "body" | "isAmend" | "keepsMessage">;

interface Message extends CommitMessage {
  use: EvidenceToolUse;
}

const MAX_COMMAND_CHARS = 20_000;
const MAX_COMMITS = 20;

function messagesOf(use: EvidenceToolUse): Message[] {
  const command = use.name === "Bash" && !use.isError ? asString(use.input["command"]) : undefined;
  return command === undefined ? [] : commitMessages(command).map((message) => ({ use, ...message }));
}

/** The messages of each `git commit` in a command line. */
export function commitMessages(line: string): CommitMessage[] {
  const command = line.slice(0, MAX_COMMAND_CHARS);
  if (!command.includes("commit")) return [];
  const starts = [...command.matchAll(/\bgit (?:-[Cc] \S{1,300} ){0,4}commit(?=\s)/g)].slice(0, MAX_COMMITS);
  return starts.map((start, index) => {
    const rest = command.slice(start.index + start[0].length, starts[index + 1]?.index);
    const { options, message } = readOptions(rest);
    const [subject = "", ...body] = message.split("\n");
    const isAmend = options.includes("--amend");
    return {
      subject: subject.trim(),
      body: withoutTrailers(body.join("\n")),
      isAmend,
      keepsMessage: isAmend && message === "",
    };
  });
}

/** The words of `git commit`, up to the next command, and its message: each -m is a paragraph. */
function readOptions(text: string): { options: string[]; message: string } {
  const options: string[] = [];
  const paragraphs: string[] = [];
  const WORD = /[ \t]*(?:(?:\\\n|[ \t])+)?(<<-?\s*|[^\s"'`&;|<>\\]+=?|["']|\d?>&?\s*\S+|)/y;
  for (let isMessage = false; ;) {
    const [, word = ""] = WORD.exec(text) ?? [];
    if (word === "") break;
    if (word === '"' || word === "'") {
      const quoted = readQuoted(text, WORD.lastIndex, word);
      if (isMessage) paragraphs.push(quoted.text);
      WORD.lastIndex = quoted.end;
    } else if (word.startsWith("<<")) {
      const document = readDocument(text.slice(WORD.lastIndex));
      if (document !== undefined) paragraphs.push(document);
      break;
    } else options.push(word);
    isMessage = /^(?:-[a-z]*m|--message=?)$/.test(word);
  }
  return { options, message: paragraphs.join("\n\n").trim() };
}

/** The text up to the closing quote. `"$(cat <<'EOF' … EOF)"` gives the here-document. */
function readQuoted(text: string, start: number, quote: string): { text: string; end: number } {
  const opening = quote === '"' ? /^\$\(cat <<-?\s*/.exec(text.slice(start, start + 40))?.[0] : undefined;
  if (opening !== undefined) {
    const document = readDocument(text.slice(start + opening.length)) ?? "";
    const close = text.indexOf('"', start + opening.length + document.length);
    return { text: document, end: close < 0 ? text.length : close + 1 };
  }
  let end = start;
  while (end < text.length && text[end] !== quote) end += quote === '"' && text[end] === "\\" ? 2 : 1;
  const quoted = text.slice(start, end);
  return { text: quote === '"' ? quoted.replace(/\\(["\\$`])/g, "$1") : quoted, end: end + 1 };
}

/** `'EOF'\nmessage\nEOF\n)` -> "message" */
function readDocument(text: string): string | undefined {
  const [first, name] = /^\\?['"]?(\w{1,40})['"]?[^\n]*\n/.exec(text) ?? [];
  if (first === undefined || name === undefined) return undefined;
  const lines = text.slice(first.length).split("\n");
  const end = lines.findIndex((line) => line.trim() === name);
  return (end < 0 ? lines : lines.slice(0, end)).join("\n").trim();
}

const TRAILER =
  /^(?:(?:Co-Authored-By|Signed-off-by|Reviewed-by|Change-Id|[A-Z][\w]*-[\w-]+):\s.*|🤖.*|Generated (?:with|by) .*)$/i;

function withoutTrailers(body: string): string {
  const lines = body.split("\n").filter((line) => !TRAILER.test(line.trim()));
  return lines.join("\n").trim();
}

/** With `| tail`, a failed commit has no exit code. */
function hasCommitted({ output }: EvidenceToolUse): boolean {
  return !/nothing to commit|no changes added|nothing added to commit|^(?:fatal|error):|aborting commit|hook.{0,40}(?:failed|exited)|script failed|--dry-run/im.test(
    output,
  );
}
