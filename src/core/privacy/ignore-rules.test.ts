import { describe, expect, it } from "vitest";
import { matchesPath } from "../glob.ts";
import { isHiddenBy, parseIgnoreRules } from "./ignore-rules.ts";

const hides = (text: string, path: string): boolean => isHiddenBy(parseIgnoreRules(text), path);

describe("a .c-memignore", () => {
  it.each([
    ["secrets", "secrets/a.txt", true],
    ["secrets", "deep/down/secrets/a.txt", true],
    ["secrets/", "deep/secrets/x", true],
    ["/secrets", "deep/secrets/x", false],
    ["/secrets", "secrets", true],
    ["*.pem", "certs/a.pem", true],
    ["*.pem", "certs/a.pem.txt", false],
    ["certs/*.pem", "certs/a.pem", true],
    ["certs/*.pem", "x/certs/a.pem", false],
    ["**/certs/*.pem", "x/y/certs/a.pem", true],
    ["a/**/z", "a/z", true],
    ["a/**/z", "a/b/c/z/below", true],
    ["notes/?.md", "notes/a.md", true],
    ["notes/?.md", "notes/ab.md", false],
    ["# secrets", "secrets/a", false],
    ["\n  \n", "a", false],
    ["*.env\n!example.env", "example.env", false],
    ["!example.env\n*.env", "example.env", true],
    ["*.env\r\n", "a.env", true],
  ])("%j hides %j: %s", (text, path, expected) => {
    expect(hides(text, path)).toBe(expected);
  });

  it.each([
    ["*", true],
    ["**", true],
    ["/", true],
    [".", true],
    ["# all\n*\n", true],
    ["*\n!src", false],
    ["*.md", false],
    ["", false],
  ])("%j hides the folder itself: %s", (text, expected) => {
    expect(hides(text, "")).toBe(expected);
  });

  it("has at most 1,000 rules of 500 characters", () => {
    expect(parseIgnoreRules("a\n".repeat(50_000))).toHaveLength(1_000);
    expect(parseIgnoreRules(`${"x".repeat(501)}\nb`)).toHaveLength(1);
  });

  it("is fast with any pattern", () => {
    const deep = "a/".repeat(200);
    const patterns = ["**/".repeat(150) + "b", "*a".repeat(200) + "b", `${"*".repeat(400)}b`, "**/a/".repeat(80) + "b"];
    const start = process.cpuUsage();
    for (const pattern of patterns) {
      expect(matchesPath(pattern, deep)).toBe(false);
      expect(hides(`${pattern}\n`.repeat(50), `${"a".repeat(255)}/${"a".repeat(255)}`)).toBe(false);
    }
    expect(process.cpuUsage(start).user / 1000).toBeLessThan(2_000);
  });
});
