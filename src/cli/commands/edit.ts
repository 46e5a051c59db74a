// c-mem edit: rewords an observation, by options or in the editor.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { resolvePaths } from "../../config/paths.ts";
import { AppError } from "../../core/error.ts";
import type { Observation } from "../../core/memory.ts";
import { edit } from "../../memory/own.ts";
import { findObservation, type ObservationEntry } from "../../store/observation-list.ts";
import { observationOf } from "../../store/observations.ts";
import { fit } from "../layout.ts";
import type { CommandOptions } from "../table.ts";
import { formText, readForm } from "../observation-form.ts";
import { observationId, readConcepts, readNames, readType } from "../observation-flags.ts";
import { observationJson } from "../observation-text.ts";
import { EXIT, print, printJson, say } from "../output.ts";
import { withStore } from "../store.ts";

const FIELDS = ["title", "subtitle", "text", "type", "concept", "file"];

export function run({ args, flags, json }: CommandOptions): number {
  const id = observationId(args[0] ?? "");
  return withStore(resolvePaths(process.env), (db) => {
    const row = findObservation(db, id);
    if (row === undefined) {
      throw new AppError("nothing_found", `There is no observation o${id}.`, {
        hint: "`c-mem observations` lists them.",
      });
    }
    const before = observationOf(row);
    const after = FIELDS.some((name) => flags[name] !== undefined) ? byFlags(before, flags) : inEditor(before, id);
    const isChanged = JSON.stringify(after) !== JSON.stringify(before);
    if (isChanged) edit(db, id, after, Date.now());
    const now = findObservation(db, id) as ObservationEntry;
    if (json) printJson("edit", { ...observationJson(now), is_changed: isChanged });
    else if (isChanged) print(`Changed: o${id} ${fit(now.title, 100)}`);
    else say("Nothing was changed.");
    return EXIT.ok;
  });
}

function byFlags(before: Observation, flags: Record<string, unknown>): Observation {
  const { subtitle: _, ...rest } = before;
  const subtitle = flags["subtitle"] === undefined ? before.subtitle : String(flags["subtitle"]);
  return {
    ...rest,
    type: readType(flags["type"]) ?? before.type,
    title: flags["title"] === undefined ? before.title : String(flags["title"]),
    ...(subtitle !== undefined && subtitle !== "" && { subtitle }),
    narrative: flags["text"] === undefined ? before.narrative : readText(String(flags["text"])),
    concepts: readConcepts(flags["concept"]) ?? before.concepts,
    files: readNames(flags["file"]) ?? before.files,
  };
}

function readText(flag: string): string {
  return flag === "-" ? readFileSync(0, "utf8").trim() : flag;
}

function inEditor(before: Observation, id: number): Observation {
  const editor = process.env["VISUAL"] || process.env["EDITOR"];
  if (!process.stdin.isTTY || !process.stdout.isTTY || !editor) {
    throw new AppError("usage", "Say what to change.", {
      hint: "--title, --text, --type, --subtitle, --concept, --file; or, on a terminal, set EDITOR.",
    });
  }
  const folder = mkdtempSync(join(tmpdir(), "c-mem-edit-"));
  try {
    const path = join(folder, `o${id}.txt`);
    writeFileSync(path, formText(before), { mode: 0o600 });
    // EDITOR may be a command with options ("code --wait"): the shell takes it apart, as for git.
    const variable = process.platform === "win32" ? "%C_MEM_EDITED%" : "$C_MEM_EDITED";
    const { status } = spawnSync(`${editor} "${variable}"`, {
      shell: true,
      stdio: "inherit",
      env: { ...process.env, C_MEM_EDITED: path },
    });
    if (status !== 0)
      throw new AppError("editor_failed", `The editor (${editor}) ended with an error; nothing was changed.`);
    return readForm(readFileSync(path, "utf8"), before);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
