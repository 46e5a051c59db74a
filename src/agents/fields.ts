// Helpers for objects with optional fields.

/** The same type, but its optional fields may also be undefined. */
export type Loose<T> = T extends unknown
  ? { [K in keyof T]: object extends Pick<T, K & keyof T> ? T[K] | undefined : T[K] }
  : never;

/** Leaves out the fields that are undefined: `{ a: 1, b: undefined }` -> `{ a: 1 }`. */
export function defined<T extends object>(fields: Loose<T>): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Ignores inherited properties: the name may be "constructor". */
export function ownValue<Value>(table: Readonly<Record<string, Value>>, name: string | undefined): Value | undefined {
  return name !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
