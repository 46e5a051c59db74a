// The context block that an agent would get if a session started now.
import { findPlace, identifyProject } from "../capture/project.ts";
import { readRefLog } from "../capture/ref-log.ts";
import { describeTree } from "../capture/work-tree.ts";
import { loadSettings } from "../config/load.ts";
import { parseSetting, SETTING_KEYS, SETTINGS, type SettingKey, type Settings } from "../config/schema.ts";
import { AppError, nothingFound, usageError } from "../core/error.ts";
import { FENCE } from "../core/privacy/fence.ts";
import { count, oneLine, withCommas } from "../core/text.ts";
import { estimateTokens } from "../core/tokens.ts";
import { deriveNewest } from "../memory/derive.ts";
import { dim, STDERR } from "../platform/terminal/style.ts";
import { buildContext, EMPTY_CONTEXT, newProject } from "../recall/inject/session-context.ts";
import { findProject, type ProjectRow, projectsNamed } from "../store/tables/projects.ts";
import { type Fields, fields } from "./fields.ts";
import { defineQuery, type QueryContext } from "./query.ts";
import { countOf } from "./schemas.ts";
import { readRange } from "./scope.ts";

/** Newer sessions first; usually everything is derived already. */
const MAX_DERIVE_MS = 2_000;

/** Before the page saves new values of these settings, it previews the context with them. */
const PREVIEWED = SETTING_KEYS.filter((key) => /^context(?!Message)/.test(key));
const SETTING_FIELDS: Fields = Object.fromEntries(
  PREVIEWED.map((key) => [
    key,
    { kind: "text", only: "http", about: `instead of the setting: ${SETTINGS[key].about}` },
  ]),
);

const FIELDS = fields({
  project: {
    kind: "text",
    position: "[project]",
    values: "projects",
    about: "a project by name or key (default: the current one)",
  },
  cwd: { kind: "text", only: "http", about: "instead of project: the folder the session starts in" },
  source: { kind: "text", value: "source", about: "startup (default), clear, compact or resume" },
  days: { kind: "number", about: "only from the last days (default: all)" },
  format: {
    kind: "text",
    only: "cli",
    choices: ["markdown", "json", "plain"],
    about: "the format (default: markdown)",
  },
  preview: { kind: "flag", only: "cli", about: "also print the tokens of each section" },
});

export const context = defineQuery({
  name: "context",
  about: "show the context an agent gets at session start",
  // The cast drops the index signature, which would hide the types of the other fields.
  fields: { ...FIELDS, ...(SETTING_FIELDS as object) },
  http: { path: "/api/context/inject", tag: "context", alsoGives: ["text/plain"] },
  reply: (z) => ({
    data: z.strictObject({
      project: z.strictObject({ key: z.string(), name: z.string() }).nullable().meta({ description: "null: unknown" }),
      text: z.string(),
      items: z.array(z.string()),
      chars: countOf(z),
      tokens: countOf(z),
      stale: countOf(z).meta({ description: "observations left out because their files are deleted" }),
    }),
  }),
  run({ project: name, source = "startup", days, ...input }, { db, paths, env, cwd }) {
    const { project, placeName, tree, settings } = findPreviewTarget(name, { db, paths, env, cwd: input.cwd ?? cwd });
    const request = {
      source,
      settings: { ...settings, ...readOverrides(input as Record<string, unknown>) },
      tree,
      since: readRange({ days }, db).since,
      now: Date.now(),
    };
    // On a terminal: a hook does not wait for memory that the worker has not derived yet.
    if (cwd !== undefined && project !== undefined) deriveNewest(db, project.id, MAX_DERIVE_MS);
    const isUnknown = project === undefined && name !== undefined;
    const block = isUnknown
      ? EMPTY_CONTEXT
      : buildContext(db, { ...request, project: project ?? newProject(placeName) });
    const { text, items, tokens, gone } = block;
    // Over HTTP an empty context is no error: an editor then starts its session without context.
    if (cwd !== undefined && text === "") throw noContextError(name, project, { placeName, days });
    const found = project === undefined ? null : { key: project.key, name: project.name };
    return { data: { project: found, text, items, chars: text.length, tokens, stale: gone } };
  },
  document: ({ data }, { accept }) =>
    /\bjson\b/.test(accept) ? undefined : { body: data.text, type: "text/plain;charset=UTF-8" },
  text({ data: { text, tokens, stale } }, { input, note }) {
    const left = stale > 0 ? `; ${stale} left out: their files are deleted` : "";
    note(dim(`\n${withCommas(text.length)} characters, about ${withCommas(tokens)} tokens${left}`, STDERR));
    if (input.preview) note(dim(tokensBySection(text), STDERR));
    return input.format === "plain" ? plainText(text) : text;
  },
});

function noContextError(
  name: string | undefined,
  project: ProjectRow | undefined,
  { placeName, days }: { placeName: string; days: number | undefined },
): AppError {
  if (name !== undefined && project === undefined)
    return nothingFound(
      `No project "${oneLine(name, 80)}".`,
      "`c-mem projects` lists the projects, `c-mem sync` imports earlier sessions.",
    );
  const span = days === undefined ? "yet" : `in the last ${days === 1 ? "day" : count(days, "day")}`;
  return nothingFound(
    `No memory of ${name ?? placeName} ${span}.`,
    days === undefined
      ? "`c-mem sync` imports earlier sessions; `c-mem status` shows what is stored."
      : "Use a larger --days, or omit it.",
  );
}

interface PreviewTarget {
  project: ProjectRow | undefined;
  placeName: string;
  tree: ReturnType<typeof describeTree> | undefined;
  settings: Settings;
}

function findPreviewTarget(
  name: string | undefined,
  { db, paths, env, cwd }: Omit<QueryContext, "embeddings">,
): PreviewTarget {
  if (name === undefined && cwd === undefined) throw usageError("project and cwd are missing. Give one of them.");
  const place = cwd === undefined ? undefined : findPlace(cwd);
  const loaded = loadSettings({ user: paths.config, project: place?.projectFiles ?? [] }, env);
  // If the project is given by name, its folder is not read.
  if (name !== undefined || place === undefined)
    return {
      project: projectsNamed(db, name ?? "")[0],
      placeName: name ?? "",
      tree: undefined,
      settings: loaded.values,
    };
  const current = identifyProject(place, loaded);
  const tree = describeTree(place, undefined, readRefLog(place));
  return { project: findProject(db, current.key), placeName: current.name, tree, settings: loaded.values };
}

function readOverrides(input: Record<string, unknown>): Partial<Settings> {
  const given = PREVIEWED.filter((key) => input[key] !== undefined);
  return Object.fromEntries(given.map((key) => [key, readOverride(key, input[key])]));
}

function readOverride(key: SettingKey, raw: unknown): unknown {
  const value = parseSetting(key, raw);
  if (value !== undefined) return value;
  throw usageError(`${key} does not take "${String(raw)}".`, "`c-mem config` shows its values.");
}

/** Removes the fence, and "## " and "> " at the start of lines. */
function plainText(block: string): string {
  return block
    .split("\n")
    .filter((line) => line !== FENCE.open && line !== FENCE.close)
    .map((line) => line.replace(/^(?:#{1,6}|>) /, ""))
    .join("\n");
}

function tokensBySection(text: string): string {
  const sections = text.split(/^(?=## )/m);
  const rows = sections.map((section, index) => {
    const name = index === 0 ? "Introduction" : (/^## ([^(\n]+)/.exec(section)?.[1] ?? "").trim();
    return [withCommas(estimateTokens(section)), name] as const;
  });
  const width = Math.max(...rows.map(([tokens]) => tokens.length));
  return rows.map(([tokens, name]) => `  ${tokens.padStart(width)}  ${name}`).join("\n");
}
