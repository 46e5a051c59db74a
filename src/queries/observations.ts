// Lists the newest observations, finds observations by words, or shows some by id with their evidence.
import { nothingFound, usageError } from "../core/error.ts";
import { CONCEPTS, OBSERVATION_TYPES } from "../core/memory.ts";
import { count, oneLine } from "../core/text.ts";
import { deriveNewest } from "../memory/derive.ts";
import { columns, fit, pad } from "../platform/terminal/layout.ts";
import { dim, paint } from "../platform/terminal/style.ts";
import { type ObservationStory, readObservation } from "../recall/history/observation.ts";
import { findObservations } from "../recall/search/find-observations.ts";
import type { Db } from "../store/db/driver.ts";
import { parseObservationId } from "../store/reads/items.ts";
import { listObservations, type ObservationFilter } from "../store/reads/observation-list.ts";
import { embedSearchWords } from "./embedding-cache.ts";
import {
  observationJson,
  observationShape,
  standingJson,
  standingSchema,
  storyJson,
  storySchema,
} from "./observation-json.ts";
import { copiesText } from "./observation-text.ts";
import { defineQuery } from "./query.ts";
import { countOf, listOf, textOrNull, whereOf } from "./schemas.ts";
import { LIMIT, OFFSET, readScope, SCOPE } from "./scope.ts";
import { when } from "./session-text.ts";

const DEFAULT_LIMIT = 20;
/** Time limit for deriving the memory of new sessions first. */
const MAX_DERIVE_MS = 1_000;

export const observations = defineQuery({
  name: "observations",
  about: "list or search observations",
  fields: {
    q: { kind: "text", position: "[words...]", about: "words they contain, or mean (default: the newest)" },
    type: { kind: "text", value: "type", choices: OBSERVATION_TYPES, about: "only of this type" },
    concept: { kind: "text", value: "concept", choices: CONCEPTS, about: "only of this concept" },
    file: { kind: "text", value: "path", about: "only about this file: a path or the end of one" },
    session: { kind: "text", only: "http", about: "only from this session, by its whole id" },
    pinned: { kind: "flag", about: "only pinned ones" },
    superseded: { kind: "flag", about: "also those replaced by a newer one" },
    ...SCOPE,
    ...LIMIT,
    ...OFFSET,
  },
  http: { path: "/api/observations", tag: "memory" },
  reply: (z) => ({
    data: listOf(
      z,
      z.strictObject({ ...observationShape(z), standing: standingSchema(z), score: z.number().optional() }),
    ),
    meta: z.strictObject({
      where: whereOf(z),
      has_more: z.boolean(),
      not_derived: countOf(z).meta({ description: "sessions without derived memory yet" }),
      query: z.string().optional(),
      rung: z.string().optional(),
      words: z.array(z.string()).optional(),
      degraded: textOrNull(z).optional().meta({ description: "why semantic search did not run, or only in part" }),
    }),
  }),
  async run({ type, concept, file, session, pinned, superseded, limit = DEFAULT_LIMIT, ...input }, context) {
    const { db } = context;
    const query = input.q?.trim() ?? "";
    const { scope, where } = readScope(input, context);
    const filter: ObservationFilter = {
      ...scope,
      type,
      concept,
      file: file?.replace(/^\.\//, ""),
      session,
      isPinned: pinned,
      withSuperseded: superseded,
    };
    const notDerived = deriveNewest(db, scope.projectId, MAX_DERIVE_MS);
    const semantic = query === "" ? undefined : await embedSearchWords(context, query, scope.projectId);
    const found = semantic && findObservations(db, query, filter, limit + 1, semantic.meaning);
    const rows = found?.rows ?? listObservations(db, filter, limit + 1, input.offset);
    if (rows.length === 0) {
      throw nothingFound(
        `No observation in ${where}${query === "" ? "" : ` matches "${oneLine(query, 80)}"`}.`,
        `Use fewer filters${scope.projectId === undefined ? "" : ", or --all for every project"}; \`c-mem search\` searches the sessions themselves.`,
      );
    }
    const results = rows.slice(0, limit).map((row) => ({
      ...observationJson(row),
      standing: standingJson(row, { readFiles: false }),
      ...("score" in row && typeof row.score === "number" && { score: row.score }),
    }));
    const how = found && { query, rung: found.rung, words: found.words, degraded: semantic?.degraded ?? null };
    return {
      data: { results },
      meta: { where, has_more: rows.length > limit, not_derived: notDerived, ...how },
      withProject: scope.projectId === undefined,
      semantic,
    };
  },
  text({ data: { results }, meta, withProject, semantic }, { header }) {
    if (meta.not_derived > 0)
      header(`${count(meta.not_derived, "session")} without observations yet; \`c-mem rebuild\` derives them now.`);
    if (meta.rung === "typo") header(`No exact match. Showing results for: ${(meta.words ?? []).join(", ")}`);
    if (meta.rung === "meaning") header("No exact match. Showing results with a similar meaning.");
    // A missing model is reported by `status`, not by every search.
    if (semantic?.isBroken === true) header(`Used ${semantic.degraded}. ${semantic.hint ?? ""}`.trim());
    const more = meta.has_more ? [dim(`\nMore: -n ${results.length * 2} shows them.`)] : [];
    return [...tableLines(results, withProject), ...more].join("\n");
  },
});

export const observation = defineQuery({
  name: "show",
  about: "show an observation with its evidence",
  fields: { id: { kind: "text", required: true, values: "observations", about: "the id: o78" } },
  http: { path: "/api/observations/:id", tag: "memory" },
  reply: (z) => ({ data: storySchema(z) }),
  run({ id }, { db }) {
    const story = resolveObservation(db, id);
    if (story !== undefined) return { data: storyJson(story) };
    throw usageError("This is not an observation id.", "Observation ids look like o78.");
  },
});

/** Undefined if `name` is not an observation id. */
export function resolveObservation(db: Db, name: string): ObservationStory | undefined {
  const id = parseObservationId(name);
  const story = id === undefined ? undefined : readObservation(db, id);
  if (id === undefined || story !== undefined) return story;
  throw nothingFound(
    `No observation ${name}.`,
    "`c-mem observations` lists them; after `c-mem rebuild` an observation can have another id.",
  );
}

export const observationBatch = defineQuery({
  name: "show",
  about: "show several observations with their evidence",
  fields: {
    ids: { kind: "list", required: true, maxItems: 200, about: "o78, or 78" },
    orderBy: { kind: "text", about: "ignored" },
    limit: { kind: "number", min: 0, about: "ignored" },
    project: { kind: "text", about: "ignored" },
  },
  http: { method: "post", path: "/api/observations/batch", tag: "memory" },
  reply: (z) => ({
    data: listOf(z, storySchema(z)),
    meta: z.strictObject({ missing: z.array(z.string()).meta({ description: "ids without an observation" }) }),
  }),
  run({ ids }, { db }) {
    const named = ids.map((id) => (/^\d+$/.test(id) ? `o${id}` : id));
    const found = named.map((id) => ({ id, story: readObservation(db, parseObservationId(id) ?? 0) }));
    return {
      data: { results: found.flatMap(({ story }) => (story === undefined ? [] : [storyJson(story)])) },
      meta: { missing: found.flatMap(({ id, story }) => (story === undefined ? [id] : [])) },
    };
  },
});

type Row = ReturnType<typeof observationJson>;

function tableLines(rows: readonly Row[], withProject: boolean): string[] {
  const idWidth = Math.max(...rows.map((row) => row.id.length));
  const projects = rows.map((row) => fit(row.project ?? "(all)", 20));
  const projectWidth = Math.max(...projects.map((name) => name.length));
  const used = idWidth + 2 + 16 + 2 + 9 + 2 + (withProject ? projectWidth + 2 : 0);
  return rows.flatMap((row, index) => {
    const left = [
      paint("yellow", pad(row.id, idWidth)),
      when(row.valid_from),
      paint("magenta", pad(row.type, 9)),
      ...(withProject ? [paint("cyan", pad(projects[index] ?? "", projectWidth))] : []),
    ];
    const marks = `${row.pinned ? " (pinned)" : ""}${row.copies > 0 ? ` (${copiesText(row.copies)})` : ""}`;
    const title = fit(row.title, Math.max(24, columns() - used - marks.length));
    const successor = row.superseded_by;
    const line = `${left.join("  ")}  ${successor === null ? title : dim(title)}${dim(marks)}`;
    if (successor === null) return [line];
    const reference = fit(`${successor.id}: ${successor.title ?? ""}`, columns() - 24);
    return [line, `${" ".repeat(idWidth + 2)}${dim(`replaced by ${reference}`)}`];
  });
}
