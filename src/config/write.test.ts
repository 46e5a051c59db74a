import { mkdtempSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { loadSettings } from "./load.ts";
import { writeSetting } from "./write.ts";

function configFile(text?: string): string {
  const path = join(mkdtempSync(join(tmpdir(), "c-mem-write-")), "sub", "config.json");
  if (text === undefined) return path;
  const flat = path.replace("/sub", "");
  writeFileSync(flat, text, { mode: 0o644 });
  return flat;
}

describe("writing a setting", () => {
  it("keeps the rest of the file", () => {
    const path = configFile('{"skipTools": ["A"], "theirOwn": {"x": 1}}');
    writeSetting(path, "provider", "anthropic");
    writeSetting(path, "usdPerDay", "0.25");
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({
      skipTools: ["A"],
      theirOwn: { x: 1 },
      provider: "anthropic",
      usdPerDay: 0.25,
    });
    expect(statSync(path).mode & 0o777).toBe(0o600);
    writeSetting(path, "provider", undefined);
    expect(loadSettings({ user: path }, {}).values).toMatchObject({ provider: "none", usdPerDay: 0.25 });
  });

  it("creates the file and its folder", () => {
    const path = configFile();
    writeSetting(path, "prices", '{"mine": "0.1/0.2"}');
    expect(loadSettings({ user: path }, {}).values.prices).toEqual({ mine: "0.1/0.2" });
  });

  it.each([
    ["provider", "skynet"],
    ["usdPerDay", "-1"],
    ["tokensPerDay", "1.5"],
    ["enabled", "maybe"],
  ] as const)("rejects %s: %s, and keeps the file", (key, value) => {
    const path = configFile("{}");
    expect(() => writeSetting(path, key, value)).toThrow(expect.objectContaining({ code: "usage" }));
    expect(readFileSync(path, "utf8")).toBe("{}");
  });

  it("does not overwrite an unreadable file", () => {
    const path = configFile("not json");
    expect(() => writeSetting(path, "provider", "claude")).toThrow(expect.objectContaining({ code: "bad_config" }));
    expect(readFileSync(path, "utf8")).toBe("not json");
  });
});
