// Parts of reply schemas. Functions take zod as an argument, because only the server and tests load it.
import type * as z from "zod";
import { iso } from "../core/time.ts";
import type { Zod } from "./query.ts";

export const timeOf = (z: Zod) => z.iso.datetime().meta({ description: "ISO 8601, UTC" });
export const timeOrNull = (z: Zod) => timeOf(z).nullable();
export const textOrNull = (z: Zod) => z.string().nullable();
export const countOf = (z: Zod) => z.int().min(0);
export const whereOf = (z: Zod) => z.string().meta({ description: "the project, or all projects" });

export const listOf = <Item extends z.ZodType>(zod: Zod, item: Item) => zod.strictObject({ results: zod.array(item) });

/** A turn whose end was not recorded before the next prompt is `completed`, too. */
export const turnStatusOf = (z: Zod) => z.enum(["running", "completed", "interrupted"]);

export const commitOf = (z: Zod) => z.strictObject(schemaOf(z, COMMIT));
export const COMMIT = defineNames({ text: ["sha", "subject"] });

const SCHEMAS = {
  text: (z: Zod) => z.string(),
  textOrNull,
  texts: (z: Zod) => z.array(z.string()),
  count: countOf,
  countOrNull: (z: Zod) => countOf(z).nullable(),
  int: (z: Zod) => z.int(),
  intOrNull: (z: Zod) => z.int().nullable(),
  number: (z: Zod) => z.number(),
  flag: (z: Zod) => z.boolean(),
  time: timeOf,
  timeOrNull,
};

type Schemas = { [Kind in keyof typeof SCHEMAS]: ReturnType<(typeof SCHEMAS)[Kind]> };
type JsonValues = { [Kind in keyof Schemas]: z.output<Schemas[Kind]> };
/** In the store flags are 0 or 1, and times are milliseconds. */
interface RowValues extends Omit<JsonValues, "flag" | "time" | "timeOrNull"> {
  flag: number | boolean;
  time: number;
  timeOrNull: number | null | undefined;
}

/** Names of JSON fields by kind: { text: ["path"], time: ["last_at"] } */
type Names = { readonly [Kind in keyof Schemas]?: readonly string[] };
type NameIn<N, Kind extends keyof N> = N[Kind] extends readonly (infer Name extends string)[] ? Name : never;
type KindOf<N, Name> = { [Kind in keyof N]: Name extends NameIn<N, Kind> ? Kind : never }[keyof N];
type Fill<N, Values> = {
  [Name in { [Kind in keyof N]: NameIn<N, Kind> }[keyof N]]: Values[KindOf<N, Name> & keyof Values];
};

/** Infers the literal types of the table. */
export function defineNames<const N extends Names>(table: N): N {
  return table;
}

export function schemaOf<const N extends Names>(z: Zod, table: N): Fill<N, Schemas> {
  const entries = kindsOf(table).map(([name, kind]) => [name, SCHEMAS[kind](z)]);
  return Object.fromEntries(entries) as Fill<N, Schemas>;
}

/** The fields of a row that the table names, as JSON. */
export function jsonOf<const N extends Names>(table: N, row: Fill<N, RowValues>): Fill<N, JsonValues> {
  const values = row as Record<string, unknown>;
  const entries = kindsOf(table).map(([name, kind]) => [name, jsonValue(kind, values[name])]);
  return Object.fromEntries(entries) as Fill<N, JsonValues>;
}

function kindsOf(table: Names): [string, keyof Schemas][] {
  const kinds = Object.entries(table) as [keyof Schemas, readonly string[]][];
  return kinds.flatMap(([kind, list]) => list.map((name): [string, keyof Schemas] => [name, kind]));
}

function jsonValue(kind: keyof Schemas, value: unknown): unknown {
  if (kind === "flag") return value === true || value === 1;
  if (kind === "time" || kind === "timeOrNull") return iso(value as number | null);
  return value;
}
