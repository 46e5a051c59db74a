// Finds secrets and private text in everything stored: rows, free pages, logs, spool, copies.
import { existsSync } from "node:fs";
import { findFallbackSpools } from "../capture/live/spool.ts";
import type { Paths } from "../config/paths.ts";
import { count } from "../core/text.ts";
import { bytes, dim, paint } from "../platform/terminal/style.ts";
import { type Audit, audit as scan, type Finding } from "../upkeep/audit/audit.ts";
import { defineQuery } from "./query.ts";
import { countOf, textOrNull } from "./schemas.ts";

const SHOWN = 40;
const EXIT_FAILED = 1;

export const audit = defineQuery({
  name: "audit",
  about: "check everything stored for secrets and private text",
  fields: {},
  http: { path: "/api/audit", tag: "health", isSlow: true, readsFiles: true },
  reply: (z) => ({
    data: z.strictObject({
      clean: z.boolean(),
      results: z.array(
        z.strictObject({
          file: z.string(),
          kinds: z.record(z.string(), countOf(z)),
          table: z.string().optional(),
          column: z.string().optional(),
          row: z.string().optional(),
          session_id: textOrNull(z).optional(),
          offset: countOf(z).optional(),
          isDead: z.literal(true).optional(),
        }),
      ),
      files: countOf(z),
      bytes: countOf(z),
      texts: countOf(z),
      unreadable: z.array(z.string()),
    }),
  }),
  run(_input, { paths }) {
    const found = findSecrets(paths);
    return { data: auditJson(found), ...(found.findings.length > 0 && { exitCode: EXIT_FAILED }), found };
  },
  text: ({ found }) => auditText(found),
});

export function findSecrets(paths: Paths): Audit {
  if (!existsSync(paths.home)) return { files: 0, bytes: 0, texts: 0, findings: [], unreadable: [] };
  return scan(paths.home, findFallbackSpools(paths));
}

export function auditJson({ findings, ...scanned }: Audit) {
  return { clean: findings.length === 0, results: findings.map((finding) => ({ ...finding })), ...scanned };
}

function auditText(found: Audit): string {
  const { findings, files, bytes: size, texts, unreadable } = found;
  const scanned = `Checked ${count(texts, "text")} and ${count(files, "file")} (${bytes(size)}).`;
  const partly = unreadable.length === 0 ? [] : [`Not readable, checked byte by byte: ${unreadable.join(", ")}`];
  if (findings.length === 0) return [`${paint("green", "Clean.")} ${scanned}`, ...partly].join("\n");
  return [
    `${paint("red", `${count(findings.length, "place")} with secrets or private text.`)} ${scanned}`,
    ...partly,
    ...findingLines(findings),
    "`c-mem audit --fix` removes it everywhere.",
  ].join("\n");
}

export function findingLines(findings: readonly Finding[]): string[] {
  const lines = findings.slice(0, SHOWN).map((finding) => {
    const { file, table, column, row, session_id: session, offset, isDead } = finding;
    const place =
      table === undefined
        ? `${file}${offset === undefined ? "" : ` at byte ${offset}`}${isDead ? " (free space)" : ""}`
        : `${file}: ${table}.${column}, row ${row}${session ? `, session ${session}` : ""}`;
    return `  ${paint("yellow", kindsText(finding.kinds))}  ${place}`;
  });
  return findings.length > SHOWN ? [...lines, dim(`  and ${findings.length - SHOWN} more (--json lists all)`)] : lines;
}

/** "api key, password x3" */
export function kindsText(kinds: Record<string, number>): string {
  return Object.entries(kinds)
    .map(([name, number]) => (number === 1 ? name : `${name} x${number}`))
    .join(", ");
}
