// c-mem blame: which sessions touched a file or what is in a folder, and why, newest first.
import { terminalSafe } from "../../core/terminal.ts";
import { answerBlame, backupOf } from "../../queries/blame.ts";
import { titleOf } from "../../core/title.ts";
import type { BlameEntry } from "../../recall/history/blame.ts";
import { type ShortId, shortIds } from "../../store/reads/short-ids.ts";
import { columns, fit } from "../../platform/terminal/layout.ts";
import type { CommandOptions } from "../legacy-commands.ts";
import { EXIT, print, printAnswer, say } from "../output.ts";
import { count } from "../../core/text.ts";
import { dim, heading } from "../../platform/terminal/style.ts";
import { ask } from "../question.ts";
import { changeText, when } from "../../queries/session-text.ts";
import { paint } from "../../platform/terminal/style.ts";

/** More of them are those of a folder. */
const NAMED_FILES = 3;

export function run({ args, flags, json }: CommandOptions): number {
  return ask(flags, (asked) => {
    const answer = answerBlame(asked, args[0] ?? "");
    if (json) printAnswer("blame", answer);
    else {
      const ids = answer.entries.flatMap((entry) => [entry.session_id, entry.parent_session_id]);
      print(blameText(answer, args[0] ?? "", shortIds(asked.db, ids)));
      const shown = answer.entries.length;
      if (answer.hasMore) say(dim(`\nThe ${count(shown, "newest change")} (-n ${shown * 2} shows more)`));
    }
    return EXIT.ok;
  });
}

function blameText(
  { entries, paths, hasMore }: { entries: readonly BlameEntry[]; paths: readonly string[]; hasMore: boolean },
  typed: string,
  shortId: ShortId,
): string {
  const lines = entries.map((entry) => {
    const notes = [
      entry.creates > 0 && paint("green", "created"),
      entry.edits > 0 && count(entry.edits, "edit"),
      entry.reads > 0 && dim(count(entry.reads, "read")),
      changeText(entry).trim() !== "" && paint("green", changeText(entry).trim()),
      entry.parent_session_id !== null && dim(`by a subagent (${shortId(entry.session_id)})`),
    ].filter(Boolean);
    const id = entry.parent_session_id ?? entry.session_id;
    const head = `${paint("yellow", shortId(id))}  ${when(entry.last_at)}  ${notes.join(", ")}`;
    const item = entry.prompt_db_id === null ? "" : `  ${dim(`p${entry.prompt_db_id}`)}`;
    const why = entry.prompt === null ? dim("(no prompt recorded)") : fit(titleOf(entry.prompt), columns() - 14);
    return [
      head,
      ...(paths.length > 1 ? [`    ${paint("cyan", fit(entry.path, columns() - 4))}`] : []),
      `    ${why}${item}`,
      ...titleLine(entry),
      ...backupLine(entry),
      ...entry.commits.map(
        (commit) =>
          `    ${paint("magenta", "commit")} ${paint("yellow", commit.sha.slice(0, 9))} ${fit(commit.subject, columns() - 24)}`,
      ),
    ].join("\n");
  });
  const howMany = hasMore ? "Files" : count(paths.length, "file");
  const files = paths.length > NAMED_FILES ? `${howMany} below ${typed}` : paths.join(", ");
  return [heading(fit(files, columns())), ...lines].join("\n\n");
}

/** "yes" says little: the session's title then says what it was about. */
function titleLine(entry: BlameEntry): string[] {
  const title = entry.title ?? "";
  const prompt = (entry.prompt ?? "").trim();
  if (title === "" || prompt.length > 60 || prompt.startsWith(title.slice(0, 20))) return [];
  return [`    ${dim(fit(`in: ${title}`, columns() - 4))}`];
}

/** Agents delete their copies after a while. */
function backupLine(entry: BlameEntry): string[] {
  const backup = backupOf(entry, process.env);
  return backup?.exists ? [`    ${dim(`before: ${terminalSafe(backup.path ?? "")}`)}`] : [];
}
