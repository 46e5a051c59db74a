import { describe, expect, it } from "vitest";
import { errorLine } from "./error-text.ts";
import { normaliseCommand } from "./shell-command.ts";

describe("a failed command", () => {
  it.each([
    ["cd /a/b && npm test", "npm test"],
    ['cd "/a b" && npm  test', "npm test"],
    ["cd x; make", "make"],
    ["cdrom && make", "cdrom && make"],
    [" ls\n -l ", "ls -l"],
  ])("has the key: %j -> %j", (command, expected) => {
    expect(normaliseCommand(command)).toBe(expected);
  });

  it.each([
    ["Exit code 1\n\n> test\nTypeError: x\n", "TypeError: x"],
    ["Exit code 1\nif (x) throw new Error(`no`)\n^\nError: 1 is not 2\n at y", "Error: 1 is not 2"],
    ["npm ERR! missing script\nfatal: not a git repository", "fatal: not a git repository"],
    ["Exit code 2", ""],
    ["line\nlast", "last"],
  ])("has the error line: %j -> %j", (output, expected) => {
    expect(errorLine(output)).toBe(expected);
  });
});
