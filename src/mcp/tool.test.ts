import { describe, expect, it } from "vitest";
import { fields } from "../queries/fields.ts";
import { checkIds, defineTool, IDS, MAX_TOKENS, readArgs } from "./tool.ts";

const FIELDS = fields({
  query: { kind: "text", maxChars: 20_000, about: "" },
  type: { kind: "text", choices: ["bugfix", "feature"], about: "" },
  confirm: { kind: "flag", about: "agreed" },
  ...MAX_TOKENS,
});
const read = (args: object) => readArgs(FIELDS, args as Record<string, unknown>);
const ids = (value: unknown) => checkIds(readArgs({ ids: { ...IDS, about: "" } }, { ids: value }).ids);

describe("a tool's arguments", () => {
  it("may be blank, null, numbers as text or out of range", () => {
    expect(read({ query: "  words  ", type: null, max_tokens: "5000" })).toEqual({
      query: "words",
      type: undefined,
      confirm: false,
      max_tokens: 5_000,
    });
    expect(read({ query: " " }).query).toBeUndefined();
    expect([50, 1_000_000].map((max) => read({ max_tokens: max }).max_tokens)).toEqual([300, 10_000]);
  });

  it("accept ids as a list or a text; a number is an observation id", () => {
    expect(ids(["o1", " p2 ", 3, "4", "o1"])).toEqual(["o1", "p2", "o3", "o4"]);
    expect(ids("o1, t2")).toEqual(["o1", "t2"]);
  });

  it.each<[string, () => unknown, string]>([
    ["a number for a text", () => read({ query: 5 }), "must be a string"],
    ["an object for a text", () => read({ query: { a: 1 } }), "must be a string"],
    ["a megabyte", () => read({ query: "a".repeat(1_000_000) }), "longer than"],
    ["a NUL", () => read({ query: "a\0b" }), "NUL"],
    ["an unknown choice", () => read({ type: "bug" }), 'Invalid "type"'],
    ["a word for a flag", () => read({ confirm: "yes" }), "true or false"],
    ["a fraction", () => read({ max_tokens: 1.5 }), "whole number"],
    ["an unknown name", () => read({ q: 1 }), 'Unknown argument "q"'],
    ["no ids", () => ids([]), "ids"],
    ["too many ids", () => ids(Array.from({ length: 21 }, (_, index) => index)), "more than 20"],
    ["null as an id", () => ids([null]), "must be a string"],
    ["an id with a space", () => ids(["o 1"]), "list of ids"],
  ])("reject %s", (_, call, message) => {
    expect(call).toThrow(message);
  });

  it("are listed in the schema, except unlisted ones", () => {
    const { definition } = defineTool({
      name: "find",
      description: "Finds.",
      fields: { ...FIELDS, path: { kind: "text", required: true, about: "a path" } },
      unlisted: ["query", "max_tokens"],
      annotations: {},
      run: () => ({ text: "" }),
    });
    expect(definition.inputSchema).toEqual({
      type: "object",
      properties: {
        type: { type: "string", enum: ["bugfix", "feature"] },
        confirm: { type: "boolean", description: "agreed" },
        path: { type: "string", description: "a path" },
      },
      required: ["path"],
    });
  });
});
