// c-mem export: a session as a document, or everything as JSON lines.
import { closeSync, existsSync, openSync, renameSync, rmSync } from "node:fs";
import { extname } from "node:path";
import { EXPORT_VERSION } from "../../capture/import/read-export.ts";
import { AppError } from "../../core/error.ts";
import { count } from "../../core/text.ts";
import { VERSION } from "../../core/version.ts";
import { bytes, STDOUT } from "../../platform/terminal/style.ts";
import { EXPORT_FORMATS, sessionExport } from "../../queries/export.ts";
import { SCOPE } from "../../queries/scope.ts";
import type { Db } from "../../store/db/driver.ts";
import { currentVersion } from "../../store/db/migrate.ts";
import { exportRows } from "../../store/reads/export-rows.ts";
import { defineCommand, withQueryContext } from "../command.ts";
import { writeFailed, writeOutputFile } from "../output-file.ts";
import { EXIT, printAnswer, printJson, say, writeDocument } from "../output.ts";

const { id, format, tools, thinking } = sessionExport.fields;

export const command = defineCommand({
  about: "export a session as Markdown, HTML or JSON, or all data",
  details: "Without a session, --all exports everything as JSON lines, which `c-mem import` reads.",
  needsStore: true,
  fields: {
    id: { ...id, position: "[session...]", required: undefined },
    format: { ...format, about: "the format (default: by the file name, or md)" },
    output: { kind: "text", short: "o", value: "file", about: "write to this file (default: -, stdout)" },
    force: { kind: "flag", about: "overwrite the file" },
    tools,
    thinking,
    ...SCOPE,
  },
  async run({ output, force, ...input }, { json }) {
    const file = output === "-" ? undefined : output;
    if (file !== undefined && !force && existsSync(file))
      throw new AppError("file_exists", `${file} already exists.`, { hint: "--force overwrites it." });
    if (input.id === undefined) {
      if (input.all) return await exportAll(file, json);
      throw new AppError("usage", "No session given.", {
        hint: "c-mem export <session>, or c-mem export --all for everything.",
      });
    }
    const ending = extname(file ?? "").slice(1);
    const request = {
      ...input,
      id: input.id,
      format: input.format ?? EXPORT_FORMATS.find((one) => one === ending.toLowerCase()),
      download: false,
    };
    const { data } = await withQueryContext(input, (context) => sessionExport.run(request, context));
    const { text, ...rest } = data;
    if (file !== undefined) writeOutputFile(file, text, { overwrite: force });
    if (json) printAnswer("export", { data: file === undefined ? data : { ...rest, file } });
    else if (file === undefined) writeDocument(STDOUT, text);
    else say(`${file}: ${bytes(data.bytes)}`);
    return EXIT.ok;
  },
});

async function exportAll(file: string | undefined, json: boolean): Promise<number> {
  if (json && file === undefined)
    throw new AppError("usage", "--json needs --output <file>: the rows are JSON themselves.");
  // Renamed to `file` when complete.
  const temporary = file === undefined ? undefined : `${file}.${process.pid}.tmp`;
  const fd = temporary === undefined ? STDOUT : createFile(temporary);
  try {
    const rows = await withQueryContext({}, ({ db }) => writeRows(db, fd));
    if (temporary !== undefined && file !== undefined) renameSync(temporary, file);
    if (json) printJson("export", { file, rows });
    else if (file !== undefined) say(`${file}: ${count(rows, "row")}`);
    return EXIT.ok;
  } finally {
    if (fd !== STDOUT) closeSync(fd);
    if (temporary !== undefined) rmSync(temporary, { force: true });
  }
}

function createFile(path: string): number {
  try {
    return openSync(path, "wx", 0o600);
  } catch (error) {
    throw writeFailed(path, error);
  }
}

/** Rows are written when they have this many characters. */
const CHUNK_CHARS = 256 * 1024;

function writeRows(db: Db, fd: number): number {
  let rows = 0;
  let chunk = "";
  const add = (value: object): void => {
    chunk += `${JSON.stringify(value)}\n`;
    if (chunk.length < CHUNK_CHARS) return;
    writeDocument(fd, chunk);
    chunk = "";
  };
  const schema = currentVersion(db);
  add({ c_mem_export: EXPORT_VERSION, version: VERSION, schema, exported_at: new Date().toISOString() });
  for (const row of exportRows(db)) {
    add(row);
    rows += 1;
  }
  add({ end: true, rows });
  writeDocument(fd, chunk);
  return rows;
}
