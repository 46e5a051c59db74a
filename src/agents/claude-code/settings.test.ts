import { parse } from "jsonc-parser";
import { describe, expect, it } from "vitest";

import {
  addHooks,
  findOurHooks,
  HOOKS,
  isReadByClaudeCode,
  parseSettings,
  pluginHooks,
  removeHooks,
} from "./settings.ts";
import hooksFile from "../../../plugin/hooks/hooks.json" with { type: "json" };

const BUNDLE = "/home/me/.c-mem/plugin/c-mem/dist/hook.cjs";
const USERS_OWN = `{
  // my model
  "model": "opus",
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "say done" }] } // keep me
    ],
  },
  "permissions": { "allow": ["Bash(ls)"] }
}
`;

describe("hooks in settings.json", () => {
  it("are added, and the user's hooks and comments stay", () => {
    const text = addHooks(USERS_OWN, "/usr/bin/node", BUNDLE);
    expect(text).toContain("// my model");
    expect(text).toContain("// keep me");
    const settings = parse(text) as Record<string, never>;
    expect(settings["model"]).toBe("opus");
    expect(settings["hooks"]?.["Stop"]).toHaveLength(2);
    expect(findOurHooks(settings)).toEqual(
      expect.arrayContaining(HOOKS.map(({ event }) => ({ event, node: "/usr/bin/node", bundle: BUNDLE }))),
    );
  });

  it("are added only once", () => {
    const once = addHooks(USERS_OWN, "/usr/bin/node", BUNDLE);
    expect(addHooks(once, "/usr/bin/node", BUNDLE)).toBe(once);
    const moved = addHooks(once, "/other/node", BUNDLE);
    expect(findOurHooks(parse(moved) as Record<string, unknown>)).toHaveLength(HOOKS.length);
  });

  it("are removed without changing the user's hooks", () => {
    const text = removeHooks(addHooks(USERS_OWN, "/usr/bin/node", BUNDLE));
    expect(parse(text)).toEqual(parse(USERS_OWN, [], { allowTrailingComma: true }));
    expect(text).toContain("// my model");
    expect(text).toContain("// keep me");
  });

  it.each(["", "{}", "{\n}\n", '{"hooks":{}}', '{ "a": 1 }'])("are added to %j and removed again", (text) => {
    const added = addHooks(text, "node", BUNDLE);
    expect(findOurHooks(parse(added) as Record<string, unknown>)).toHaveLength(HOOKS.length);
    expect(parse(removeHooks(added)) ?? {}).toEqual(text === '{"hooks":{}}' ? {} : parse(text || "{}"));
  });

  it("that do not exist are removed without a change", () => {
    expect(removeHooks(USERS_OWN)).toBe(USERS_OWN);
  });

  it("have the indentation and line ends of the file", () => {
    const text = addHooks('{\r\n\t"model": "opus"\r\n}\r\n', "node", BUNDLE);
    expect(text).toContain('\r\n\t"hooks"');
    expect(text.replaceAll("\r\n", "")).not.toContain("\n");
  });

  it("keep a byte order mark", () => {
    const added = addHooks('\uFEFF{"a":1}', "node", BUNDLE);
    expect(added.startsWith("\uFEFF{")).toBe(true);
    expect(removeHooks(added).startsWith("\uFEFF{")).toBe(true);
    expect(parseSettings('\uFEFF{"a":1}', "settings.json")).toEqual({ a: 1 });
  });

  it.each([
    ['{"a":1}', true],
    ['\uFEFF{"a":1}', true],
    ["", true],
    ['{"a":1,}', false],
    ['{"a":1} // x', false],
  ])("in %j are read by Claude Code: %s", (text, expected) => {
    expect(isReadByClaudeCode(text)).toBe(expected);
  });

  it("are not written into a file that is not JSON", () => {
    expect(() => parseSettings('{ "model": ', "settings.json")).toThrow(
      expect.objectContaining({ code: "bad_settings" }),
    );
  });
});

describe("the plugin's hooks.json", () => {
  it("is written from the table of hooks", () => {
    expect(hooksFile).toEqual(pluginHooks("node", "${CLAUDE_PLUGIN_ROOT}/dist/hook.cjs"));
  });
});
