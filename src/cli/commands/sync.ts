// c-mem sync: brings in the sessions that are on this machine already.
import { findTranscripts } from "../../agents/claude-code/discover.ts";
import { claudeConfigDir } from "../../agents/claude-code/site.ts";
import { type FileResult, startSync, syncFile } from "../../capture/sync.ts";
import { resolvePaths } from "../../config/paths.ts";
import { counts } from "../../store/counts.ts";
import { interruptIdleSessions } from "../../store/sessions.ts";
import type { CommandOptions } from "../main.ts";
import { bytes, count, EXIT, print, printJson, say } from "../output.ts";
import { withStore } from "../store.ts";

export function run({ flags, json }: CommandOptions): number {
  const env = process.env;
  const paths = resolvePaths(env);
  const quiet = flags["quiet"] === true || json;
  const files = findTranscripts(claudeConfigDir(env));
  const total = files.reduce((sum, file) => sum + file.bytes, 0);
  if (!quiet) say(`Reading ${files.length} transcripts (${bytes(total)}) from ${claudeConfigDir(env)}`);
  return withStore(paths, (db) => {
    const context = startSync(paths, env);
    const before = counts(db);
    const results: FileResult[] = [];
    const failed: { path: string; message: string }[] = [];
    for (const [index, file] of files.entries()) {
      try {
        results.push(syncFile(db, file, context));
      } catch (error) {
        // One broken file does not stop the others.
        failed.push({ path: file.path, message: (error as Error).message });
      }
      if (!quiet && process.stderr.isTTY) process.stderr.write(`\r  ${index + 1}/${files.length}`);
    }
    if (!quiet && process.stderr.isTTY && files.length > 0) say("");
    interruptIdleSessions(db, Date.now());
    const after = counts(db);
    const malformed = results.flatMap(({ path, malformed: lines }) => lines.map((line) => ({ path, line })));
    const data = {
      files: files.length,
      bytes: total,
      new_sessions: after.sessions - before.sessions,
      new_prompts: after.prompts - before.prompts,
      new_tool_uses: after.tool_uses - before.tool_uses,
      malformed,
      failed,
    };
    if (json) printJson("sync", data);
    else {
      print(
        `${count(data.new_sessions, "new session")}, ${count(data.new_prompts, "prompt")}, ${count(data.new_tool_uses, "tool use")}`,
      );
      for (const { path, line } of malformed) say(`malformed: ${path}:${line}`);
      for (const { path, message } of failed) say(`failed: ${path}: ${message}`);
    }
    return failed.length > 0 ? EXIT.failure : EXIT.ok;
  });
}
