// Building blocks of reply schemas: every property is required, no others are allowed.
export const text = { type: "string" };
export const integer = { type: "integer" };
export const listOf = (items: object): object => ({ type: "array", items });
export const oneOf = (values: readonly string[]): object => ({ type: "string", enum: values });

export const strict = (properties: Record<string, object>): Record<string, unknown> => ({
  type: "object",
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
