// c-mem edit, supersede and wrong: the queries, plus stdin, the editor and --undo.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "../../core/error.ts";
import type { Observation } from "../../core/memory.ts";
import * as queries from "../../queries/user-edits.ts";
import * as wrongQueries from "../../queries/wrong.ts";
import { readInput } from "../../queries/fields.ts";
import { defineCommand, withQueryContext, runQuery } from "../command.ts";
import { EXIT, print, printAnswer } from "../output.ts";
import { readStdin } from "../stdin.ts";

export const edit = defineCommand({
  about: queries.edit.about,
  needsStore: true,
  fields: queries.edit.fields,
  run({ id, ...changes }, invocation) {
    if (Object.values(changes).some((value) => value !== undefined)) {
      const text = changes.text === "-" ? readStdin().trim() : changes.text;
      return runQuery(queries.edit, { ...changes, id, text }, invocation);
    }
    const number = queries.observationId(id);
    return withQueryContext({}, ({ db }) => {
      const answer = queries.changeObservation(db, number, (before) => openEditor(before, number));
      if (invocation.json) printAnswer("edit", answer);
      else print(queries.edit.text?.(answer, undefined as never) ?? "");
      return EXIT.ok;
    });
  },
});

export const supersede = defineCommand({
  about: queries.supersede.about,
  needsStore: true,
  fields: {
    id: queries.supersede.fields.id,
    by: { ...queries.supersede.fields.by, position: "[new]", required: undefined },
    undo: { kind: "flag", about: "make the old one current again" },
  },
  run({ id, by, undo }, invocation) {
    if (undo !== (by === undefined)) {
      throw new AppError("usage", undo ? "--undo takes one observation." : "Missing argument: <new>", {
        hint: "c-mem supersede <old> <new>, or c-mem supersede <old> --undo",
      });
    }
    return by === undefined
      ? runQuery(queries.undoSupersede, { id }, invocation)
      : runQuery(queries.supersede, { id, by }, invocation);
  },
});

export const wrong = defineCommand({
  about: wrongQueries.wrong.about,
  needsStore: true,
  fields: { ...wrongQueries.wrong.fields, undo: { kind: "flag", about: "let it be injected again" } },
  run: ({ id, undo }, invocation) => runQuery(undo ? wrongQueries.undoWrong : wrongQueries.wrong, { id }, invocation),
});

function openEditor(before: Observation, id: number): Observation {
  const editor = process.env["VISUAL"] || process.env["EDITOR"];
  if (!process.stdin.isTTY || !process.stdout.isTTY || !editor) {
    throw new AppError("usage", "Nothing to change.", {
      hint: "Use --title, --text, --type, --subtitle, --concepts or --files; or set EDITOR and run it on a terminal.",
    });
  }
  const folder = mkdtempSync(join(tmpdir(), "c-mem-edit-"));
  try {
    const path = join(folder, `o${id}.txt`);
    writeFileSync(path, formText(before), { mode: 0o600 });
    // EDITOR may have options ("code --wait"): the shell splits it, as for git.
    const variable = process.platform === "win32" ? "%C_MEM_EDITED%" : "$C_MEM_EDITED";
    const { status } = spawnSync(`${editor} "${variable}"`, {
      shell: true,
      stdio: "inherit",
      env: { ...process.env, C_MEM_EDITED: path },
    });
    if (status !== 0) throw new AppError("editor_failed", `The editor (${editor}) failed; nothing was changed.`);
    return readForm(readFileSync(path, "utf8"), before);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** title: …, concepts: …, then the text */
function formText({ type, title, subtitle, concepts, files, facts, narrative }: Observation): string {
  return [
    `type: ${type}`,
    `title: ${title}`,
    `subtitle: ${subtitle ?? ""}`,
    `concepts: ${concepts.join(", ")}`,
    `files: ${files.join(", ")}`,
    ...facts.map((fact) => `fact: ${fact.replace(/\s*\n\s*/g, " ")}`),
    "",
    narrative,
    "",
  ].join("\n");
}

/** A deleted field line keeps the old value; a deleted fact is deleted. */
function readForm(text: string, before: Observation): Observation {
  const [head = "", ...rest] = text.replaceAll("\r\n", "\n").split("\n\n");
  const lines = head.split("\n").map((line) => /^(\w+):\s*(.*)$/.exec(line));
  const field = (name: string): string | undefined => lines.find((line) => line?.[1] === name)?.[2]?.trim();
  const given = { type: field("type"), title: field("title"), concepts: field("concepts"), files: field("files") };
  const { type, title, concepts, files } = readInput(queries.OBSERVATION_FIELDS, given, (key) => key);
  const subtitle = field("subtitle") ?? before.subtitle;
  const { subtitle: _, ...kept } = before;
  return {
    ...kept,
    type: type ?? before.type,
    title: title ?? before.title,
    ...(subtitle !== undefined && subtitle !== "" && { subtitle }),
    concepts: concepts ?? before.concepts,
    files: files ?? before.files,
    facts: lines.filter((line) => line?.[1] === "fact").map((line) => line?.[2]?.trim() ?? ""),
    narrative: rest.join("\n\n").trim(),
  };
}
