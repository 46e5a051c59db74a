// Titles that older versions of Claude Code wrote as `{"type":"summary","summary":"…","leafUuid":"…"}`: the title of
// the session whose message has that uuid. The line is at the head of that session's file, at its end, or at the head
// of the file of a session that was started later.
import { asId, asObject, asString, type JsonObject, parseJson } from "../../core/json.ts";
import { listFolder, statOf } from "../../platform/read-file.ts";
import { pathIn, readHead } from "../agent-files.ts";

/** A summary line at the end of a file names one of its last messages. */
const MAX_RECENT = 50;
const TITLE_CHARS = 200;
/** Room for about 100 titles. */
const HEAD_BYTES = 16 * 1024;

export function addRecent(recent: string[], line: JsonObject): void {
  const uuid = asId(line["uuid"]);
  if (uuid !== undefined) recent.push(uuid);
  if (recent.length > MAX_RECENT) recent.shift();
}

/** The title of a summary line, if it names one of these messages. */
export function titleOfRecent(recent: readonly string[], line: JsonObject): string | undefined {
  const [leaf, title] = readSummary(line) ?? [];
  return leaf !== undefined && recent.includes(leaf) ? title : undefined;
}

/** The title of the session, if a file of the folder begins with a summary line that names this message. */
export function titleFromHeads(folder: string, line: JsonObject): string | undefined {
  if (heads?.folder !== folder) readHeads(folder);
  return heads?.titles.get(asId(line["uuid"]) ?? "");
}

function readSummary(line: JsonObject): [leaf: string, title: string] | undefined {
  const leaf = asId(line["leafUuid"]);
  const title = asString(line["summary"])?.trim().slice(0, TITLE_CHARS);
  return leaf === undefined || !title ? undefined : [leaf, title];
}

/** The titles at the heads of the files of the folder that was read last: all its files need them. */
let heads: { folder: string; changedAt: number; titles: ReadonlyMap<string, string> } | undefined;

/** Call before a file is read from its start. */
export function readHeads(folder: string): void {
  const changedAt = statOf(folder)?.mtimeMs ?? 0;
  if (heads?.folder === folder && heads.changedAt === changedAt) return;
  const files = listFolder(folder).filter((name) => name.endsWith(".jsonl"));
  heads = { folder, changedAt, titles: new Map(files.flatMap((name) => headTitles(pathIn(folder, name)))) };
}

function headTitles(path: string): [leaf: string, title: string][] {
  const head = readHead(path, HEAD_BYTES);
  if (!head.startsWith('{"type":"summary"')) return [];
  return head.split("\n").flatMap((text) => {
    const line = asObject(parseJson(text));
    const found = line?.["type"] === "summary" ? readSummary(line) : undefined;
    return found === undefined ? [] : [found];
  });
}
