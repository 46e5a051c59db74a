import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { checkSettingsFiles } from "./check.ts";
import { explainJson } from "./json-error.ts";
import { loadSettings } from "./load.ts";

function check(text: string, project?: string, env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), "c-mem-check-"));
  const [user, own] = [join(folder, "config.json"), join(folder, ".c-mem.json")];
  writeFileSync(user, text);
  if (project !== undefined) writeFileSync(own, project);
  return checkSettingsFiles({ user, ...(project !== undefined && { project: [own] }) }, env);
}

describe("JSON in a settings file", () => {
  it.each([
    ['{\n  "port": 1,\n}', "line 2, column 12: remove the trailing comma"],
    ['{"port": 1 "worker": true}', "line 1, column 12: comma expected"],
    ["{ cut off", "line 1, column 3: "],
    ['{\r\n"port":\r\n}', "line 3, column 1: value expected"],
    ['// mine\n{"port": 1}', "line 1, column 1: remove the comment"],
    ["{'port': 1}", "line 1, column 2: use double quotes"],
  ])("%j: %s", (text, place) => {
    expect(explainJson(text)).toContain(place);
    expect(check(text).problems).toEqual([expect.stringContaining(`config.json is not valid JSON: ${place}`)]);
  });

  it("may start with a byte order mark", () => {
    expect(check('\uFEFF{"port": 4000}')).toEqual({ problems: [], warnings: [] });
  });
});

describe("a pattern", () => {
  it.each([
    ["**/[a-z]*", true],
    ["**/*.[!c]", true],
    ["**/[slug]/**", false],
    ["**/[...path]", false],
  ])("with brackets, %s: reported %s", (pattern, isReported) => {
    const { warnings } = check(JSON.stringify({ excludePaths: [pattern] }));
    expect(warnings.some((text) => text.includes("is not a range here"))).toBe(isReported);
  });
});

describe("a key", () => {
  it.each([
    ['{"excludePath": ["/"]}', 'there is no setting "excludePath"; did you mean "excludePaths"?'],
    ['{"skiptools": []}', 'there is no setting "skiptools"; did you mean "skipTools"?'],
    ['{"somethingElse": 1}', 'there is no setting "somethingElse"'],
    ['{"maxOutputChars": 1000}', '"maxOutputChars" is no longer a setting; delete it'],
  ])("%s: %s", (text, warning) => {
    const { problems, warnings } = check(text);
    expect(problems).toEqual([]);
    expect(warnings).toEqual([expect.stringMatching(new RegExp(`${warning.replace("?", "\\?")}$`))]);
  });

  it("that has no effect in its file is reported", () => {
    expect(check("{}", '{"excludePaths": ["/x"], "enabled": true, "nope": 1}').warnings).toEqual([
      expect.stringContaining("excludePaths has no effect in a project's file"),
      expect.stringContaining('there is no setting "nope"'),
    ]);
    expect(check("{}", undefined, { C_MEM_PROVIDER: "openai" }).warnings).toEqual([
      expect.stringContaining("C_MEM_PROVIDER has no effect"),
    ]);
  });
});

describe("a pattern that can match nothing", () => {
  it.each([
    ["clients/**", "applies in every folder"],
    ["secret", "applies in every folder"],
    ["*/clients", "applies in every folder"],
    ["~bob/clients", "home folder"],
    ["$HOME/clients", "variables"],
    ["!/home/me", "exceptions"],
    ["/srv/{a,b}/**", "braces"],
    ["https://example.com", "address"],
  ])("%s: %s", (pattern, why) => {
    const { warnings } = check(JSON.stringify({ excludePaths: [pattern] }));
    expect(warnings[0]).toContain(`excludePaths: "${pattern}" `);
    expect(warnings[0]).toContain(why);
  });

  it("is reported if its folder does not exist", () => {
    const folder = mkdtempSync(join(tmpdir(), "c-mem-check-"));
    mkdirSync(join(folder, "clients"));
    const check1 = check(JSON.stringify({ excludePaths: [join(folder, "clinets", "**"), join(folder, "clients")] }));
    expect(check1.warnings).toEqual([expect.stringContaining(`did you mean ${join(folder, "clients")}?`)]);
  });

  it("is not reported if it starts with a root, home or **", () => {
    expect(check(JSON.stringify({ excludePaths: ["/tmp", "~/**", "**/secret", "**", "/tmp/*/x"] })).warnings).toEqual(
      [],
    );
  });

  it("is reported if it is a tool's name with a wildcard", () => {
    expect(check('{"skipTools": ["Bash(git *)", "mcp__github__get_me"]}').warnings).toEqual([
      expect.stringContaining('skipTools: "Bash(git *)" can match nothing'),
    ]);
  });
});

describe("recording", () => {
  it.each([
    ['{"excludePaths": 5}'],
    ['{"excludePaths": ["/a", 5]}'],
    ['{"excludePaths": "[\\"/a\\""}'],
    ['{"skipTools": [1]}'],
    ['{"enabled": "maybe"}'],
    ['{"port": 1,'],
    [""],
    ["[]"],
  ])("stops while the user's file says %s", (text) => {
    const path = join(mkdtempSync(join(tmpdir(), "c-mem-check-")), "config.json");
    writeFileSync(path, text);
    expect(loadSettings({ user: path }, {}).blocked).toContain(path);
  });

  it("stops while C_MEM_EXCLUDE_PATHS cannot be read, whatever the file contains", () => {
    const loaded = loadSettings({ user: "/nonexistent" }, { C_MEM_EXCLUDE_PATHS: '["/a"' });
    expect(loaded.blocked).toBe("C_MEM_EXCLUDE_PATHS cannot be read");
  });

  it("continues if another setting is invalid", () => {
    const path = join(mkdtempSync(join(tmpdir(), "c-mem-check-")), "config.json");
    writeFileSync(path, '{"port": "many", "surfaces": ["bogus"], "nope": 1}');
    expect(loadSettings({ user: path }, {})).not.toHaveProperty("blocked");
    expect(loadSettings({ user: "/nonexistent" }, {})).not.toHaveProperty("blocked");
  });
});
