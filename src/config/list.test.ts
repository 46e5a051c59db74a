import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parseList, parseWords } from "./list.ts";
import { loadSettings } from "./load.ts";
import { envName, isListKey, parseSetting, SETTING_KEYS, SETTINGS } from "./schema.ts";
import { joinWords, writeSetting } from "./write.ts";

const scratch = (): string => join(mkdtempSync(join(tmpdir(), "c-mem-list-")), "config.json");

describe("a list", () => {
  it.each([
    ["a", ["a"]],
    ["a,b", ["a", "b"]],
    [" a , b,,", ["a", "b"]],
    ["a\nb", ["a", "b"]],
    ["", []],
    ["[]", []],
    ['["a"]', ["a"]],
    [' [ "a" , "b" ] ', ["a", "b"]],
    ['"a","b"', ["a", "b"]],
    ["['a','b']", ["a", "b"]],
    ["[a,b]", ["a", "b"]],
    [
      ["a", "b", "a"],
      ["a", "b"],
    ],
    [["a,b"], ["a,b"]],
    [['["~/clients/**"]'], ["~/clients/**"]],
    [
      ['["~/a/**"', '"~/b/**"]'],
      ["~/a/**", "~/b/**"],
    ],
    [
      ["/x", '["~/a/**"', '"~/b/**"]', "/y"],
      ["/x", "~/a/**", "~/b/**", "/y"],
    ],
    [
      ["/app/[id]", "[slug]"],
      ["/app/[id]", "[slug]"],
    ],
  ])("%j is %j", (raw, items) => {
    expect(parseList(raw)).toEqual(items);
  });

  it.each([['["a"'], ['["a", 1]'], ['{"a": 1}'], [5], [null], [{}], [["a", 1]], [true]])("%j is rejected", (raw) => {
    expect(parseList(raw)).toBe(undefined);
  });

  it.each([
    [
      ["a", "b"],
      ["a", "b"],
    ],
    [
      ["a,b", "c"],
      ["a", "b", "c"],
    ],
    [
      ['["a"]', "b"],
      ["a", "b"],
    ],
    [
      ['["a",', '"b"]'],
      ["a", "b"],
    ],
    [["/with space/x"], ["/with space/x"]],
  ])("typed as %j is %j", (words, items) => {
    expect(parseWords(words)).toEqual(items);
  });
});

const SAMPLES: Record<string, string[]> = {
  excludePaths: ["~/clients/**", "/srv/**"],
  skipTools: ["Bash", "Read"],
  surfaces: ["prompt", "file"],
  contextTypes: ["decision", "bugfix"],
  contextConcepts: ["gotcha", "trade-off"],
};

describe.each(SETTING_KEYS.filter(isListKey))("%s", (key) => {
  const items = SAMPLES[key] ?? [];

  it("is read as JSON, comma-separated or repeated values from every source", () => {
    expect(items).not.toEqual([]);
    const typed = [[JSON.stringify(items)], [items.join(",")], items, items.map((item) => JSON.stringify([item]))];
    for (const words of typed) {
      const path = scratch();
      writeSetting(path, key, joinWords(key, words));
      expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ [key]: items });
    }
    for (const text of [JSON.stringify(items), items.join(","), items.join(", ")]) {
      expect(parseSetting(key, text)).toEqual(items);
      if (!SETTINGS[key].inUserFileOnly)
        expect(loadSettings({ user: "/nonexistent" }, { [envName(key)]: text }).values[key]).toEqual(items);
    }
    const broken = JSON.stringify(items).split(",");
    for (const raw of [items, items.join(","), JSON.stringify(items), [JSON.stringify(items)], broken]) {
      const path = scratch();
      writeFileSync(path, JSON.stringify({ [key]: raw }));
      expect(loadSettings({ user: path }, {})).toMatchObject({ values: { [key]: items }, problems: [] });
    }
  });

  it("rejects anything but a list of texts", () => {
    for (const raw of [5, [1], {}, '["a"', '{"a":1}']) expect(parseSetting(key, raw)).toBe(undefined);
  });
});

describe.each(["surfaces", "contextTypes", "contextConcepts"] as const)("%s", (key) => {
  it("accepts only known words", () => {
    const [first = ""] = SAMPLES[key] ?? [];
    const path = scratch();
    expect(() => writeSetting(path, key, "bogus")).toThrow('Invalid value "bogus"');
    expect(() => writeSetting(path, key, [first, "bogus"])).toThrow('Invalid value "bogus"');
    writeFileSync(path, JSON.stringify({ [key]: [first, "bogus"] }));
    const loaded = loadSettings({ user: path }, {});
    expect(loaded.values[key]).toEqual([first]);
    expect(loaded.problems).toEqual([expect.stringContaining(`${key}: "bogus" is not one of `)]);
    writeFileSync(path, JSON.stringify({ [key]: ["bogus"] }));
    expect(loadSettings({ user: path }, {}).values[key]).toEqual(SETTINGS[key].default);
  });
});
