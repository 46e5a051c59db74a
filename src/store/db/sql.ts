// SQL with its parameters. sql`... WHERE id = ${id}` binds the id. An Sql can be nested in another one.
import { cached } from "../../core/cached.ts";
import type { Param } from "./driver.ts";

export interface Sql {
  readonly text: string;
  readonly params: readonly Param[];
}

/** `undefined` is bound as NULL, a boolean as 0 or 1, an array as a JSON text. */
export type SqlValue = Sql | Param | undefined | boolean | readonly unknown[];

export function sql(strings: TemplateStringsArray, ...values: readonly SqlValue[]): Sql {
  if (!values.some(isSql)) return { text: textOf(strings), params: values.map((value) => toParam(value)) };
  let text = strings[0] ?? "";
  const params: Param[] = [];
  for (const [index, value] of values.entries()) {
    const part = isSql(value) ? value : { text: "?", params: [toParam(value)] };
    text += part.text + (strings[index + 1] ?? "");
    params.push(...part.params);
  }
  return { text, params };
}

/** A template without nested SQL always gives the same text. It is joined only once: a sync runs it a million times. */
const texts = new WeakMap<TemplateStringsArray, string>();

function textOf(strings: TemplateStringsArray): string {
  return cached(texts, strings, () => strings.join("?"));
}

/** Text that is not bound but part of the statement: a table name, or a constant for the query planner. */
export function raw(text: string | number): Sql {
  return { text: String(text), params: [] };
}

/** Joins the conditions with AND, without those that are `false`. No condition: `1`. */
export function and(...conditions: readonly (Sql | false)[]): Sql {
  const given = conditions.filter((condition) => condition !== false);
  return given.length === 0 ? raw("1") : join(given, " AND ");
}

/** `id IN ${anyOf(ids)}` */
export function anyOf(values: Iterable<string | number>): Sql {
  return sql`(SELECT value FROM json_each(${[...values]}))`;
}

/** "a, b, c" */
export function list(parts: readonly Sql[]): Sql {
  return join(parts, ", ");
}

function join(parts: readonly Sql[], separator: string): Sql {
  return { text: parts.map(({ text }) => text).join(separator), params: parts.flatMap(({ params }) => params) };
}

function isSql(value: SqlValue): value is Sql {
  return typeof value === "object" && value !== null && "text" in value;
}

function toParam(value: SqlValue): Param {
  if (value === undefined) return null;
  if (typeof value === "boolean") return Number(value);
  return Array.isArray(value) ? JSON.stringify(value) : (value as Param);
}
