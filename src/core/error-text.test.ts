import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { errorLine, errorMessage, errorWords, lastError, normaliseError } from "./error-text.ts";

describe("normaliseError", () => {
  it.each([
    [
      "Error: listen EADDRINUSE: address already in use :::3000",
      "error: listen eaddrinuse: address already in use :::5173",
    ],
    ["2026-01-02T10:11:12.345Z fatal: bad object 1a2b3c4d", "2025-12-31 01:02:03 fatal: bad object ffe0123"],
    [
      '/Users/a/app/src/x.ts:12:3 - TS2304: Cannot find name "foo"',
      "C:\\work\\app\\src\\x.ts:99:1 - TS2304: Cannot find name ‘foo’",
    ],
    ["[12:03:44] web:build: src/a.ts(3,9): error TS2339: x is missing", "lib/b.ts:14:2 - error TS2339: x is missing"],
    ["npm ERR! Missing script: start", "2026-01-02T10:11:12Z npm error Missing script: start"],
    [
      "error: Cannot find module 'chalk' from '/tmp/run-a1/test/cli.test.ts'",
      "Cannot find module 'chalk' (/work/test/other.test.ts:4:1)",
    ],
    ["./deploy.sh: line 14: kubectl: command not found", "bash: kubectl: command not found"],
    ["\u001B[31mTypeError\u001B[0m:  x is undefined", "TypeError: x is undefined"],
    [
      "session 0b7e2a54-1111-4222-8333-444455556666 at 0xdeadbeef",
      "session 00000000-aaaa-4bbb-8ccc-ddddeeeeffff at 0x1",
    ],
  ])("makes %j and %j equal", (one, other) => {
    expect(normaliseError(one)).toBe(normaliseError(other));
  });

  it("keeps errors with different words apart", () => {
    expect(normaliseError("Cannot find name 'foo'")).not.toBe(normaliseError("Cannot find name 'bar'"));
    expect(errorWords(normaliseError("TypeError: Cannot read properties of undefined (reading 'length')"))).toEqual([
      "typeerror",
      "cannot",
      "read",
      "properties",
      "undefined",
      "reading",
      "length",
    ]);
  });

  it("is quick for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 500 }), (text) =>
        Array.isArray(errorWords(normaliseError(text))),
      ),
    );
    for (const text of ["/".repeat(100_000), "a/".repeat(50_000), "1:".repeat(50_000), "f0".repeat(50_000)]) {
      const start = process.cpuUsage();
      normaliseError(text);
      expect(process.cpuUsage(start).user / 1000).toBeLessThan(2_000);
    }
  });
});

describe("the line of an output that says what went wrong", () => {
  it.each([
    [
      "a linter behind a script",
      "$ eslint src\n  12:3  error  'port' is never used  no-unused-vars\n\n✖ 1 problem (1 error)\nerror: script \"lint\" exited with code 1",
      "'port' is never used no-unused-vars",
    ],
    [
      "a compiler behind a hook",
      "$ tsc --noEmit\nsrc/queue.ts(217,6): error TS2322: Type 'Job | undefined' is not assignable to type 'Job'.\nhusky - pre-commit script failed (code 2)",
      "TS2322: Type 'Job | undefined' is not assignable to type 'Job'.",
    ],
    [
      "a workspace runner",
      "@shop/api build: src/cart.ts(9,3): error TS2564: Property 'items' has no initializer.\n@shop/api build: Exited with code 1",
      "TS2564: Property 'items' has no initializer.",
    ],
    [
      "npm",
      'npm ERR! code ELIFECYCLE\nnpm ERR! errno 1\nnpm ERR! Missing script: "start"\nnpm ERR! A complete log of this run can be found in:\nnpm ERR!     /root/.npm/_logs/debug.log',
      'Missing script: "start"',
    ],
    [
      "a Python traceback",
      'Traceback (most recent call last):\n  File "load.py", line 3, in <module>\n    raise ValueError(text)\nValueError: unknown column: price',
      "ValueError: unknown column: price",
    ],
    [
      "pytest",
      "    def test_total():\n>       assert total([1]) == 2\nE       TypeError: total() takes no arguments\n\ntests/test_cart.py:4: TypeError\n=== 1 failed in 0.03s ===",
      "TypeError: total() takes no arguments",
    ],
    [
      "git",
      "error: failed to push some refs to 'https://example.com/shop.git'\n ! [rejected]        main -> main (fetch first)",
      "[rejected] main -> main (fetch first)",
    ],
    ["a shell", "zsh:1: command not found: yq", "command not found: yq"],
    ["Go", "# example.com/shop\n./main.go:10:2: undefined: cartTotal", "undefined: cartTotal"],
    [
      "cargo",
      "error[E0382]: borrow of moved value: `cart`\n --> src/main.rs:4:5\nerror: aborting due to 1 previous error",
      "borrow of moved value: `cart`",
    ],
    [
      "a structured log",
      'time="2026-01-02T10:11:12Z" level=fatal msg="cannot open ledger \\"main\\": locked"',
      'cannot open ledger "main": locked',
    ],
    [
      "a passed suite before the failing check",
      "error: Ledger connection lost\n      at <anonymous> (/app/src/ledger.test.ts:3:4)\n\n 118 pass\n 0 fail\n$ tsc --noEmit\nsrc/a.ts(1,2): error TS7006: Parameter 'p' implicitly has an 'any' type.",
      "TS7006: Parameter 'p' implicitly has an 'any' type.",
    ],
    [
      "errors that tests expect",
      "Error: the ledger is locked\n✓ reports a locked ledger (2 ms)\nFAIL src/cart.test.ts\nTypeError: cart.total is not a function",
      "TypeError: cart.total is not a function",
    ],
    [
      "a tool's reply",
      "<tool_use_error>String to replace not found in file.</tool_use_error>",
      "String to replace not found in file.",
    ],
  ])("is found in the output of %s", (_, output, message) => {
    expect(errorMessage(lastError(output))).toBe(message);
  });

  it.each([
    "[lint] ERROR task failed",
    "FAIL",
    " FAIL  src/cart.test.ts > adds an item",
    "Command failed with exit code 1",
    "error Command failed with exit code 2.",
    "npm ERR! code ELIFECYCLE",
    "npm error Lifecycle script `test` failed with error:",
    "Tests failed",
    "Test Suites: 1 failed, 3 passed, 4 total",
    "Traceback (most recent call last):",
    "exit status 1",
    "ERROR: Job failed: exit code 1",
    'error: script "lint" exited with code 1',
    "make: *** [Makefile:12: all] Error 2",
    "ELIFECYCLE  Command failed with exit code 1.",
    "× Some errors were emitted while running checks.",
    "husky - pre-commit script failed (code 1)",
    "error: failed to push some refs to 'https://example.com/shop.git'",
    "✖ 3 problems (3 errors, 0 warnings)",
    "Found 4 errors.",
    "error: expect(received).toBe(expected)",
    "AssertionError: expected 3 to be 4",
    "Process completed with exit code 1.",
    "error: Recipe `test` failed on line 12 with exit code 1",
  ])("identifies nothing if it is printed for every failure: %s", (line) => {
    expect(errorMessage(line)).toBeUndefined();
  });

  it.each([
    "0 errors, 0 warnings",
    "Found 0 errors.",
    "no errors found",
    "Compiled without errors",
    "✓ handles an error in the cart (3 ms)",
    "(pass) cart > rejects an unknown item",
    "ok 3 - fails on a missing file",
    "errors: []",
    "Validate files.......................................Passed",
    "[COMPLETED] Reverting to original state because of errors...",
    "  187 │ const warn = spyOn(console, 'warn');",
    "src/cart.ts:12:  throw new Error('unknown item');",
    "+  return error;",
    "$ biome check --error-on-warnings",
  ])("is not a success or a listing: %s", (line) => {
    expect(errorMessage(line)).toBeUndefined();
    expect(errorLine(`${line}\na\nb\nc`)).toBe("");
  });

  it("is the only line of a short output, and none of a long one without an error", () => {
    expect(errorLine("no session with that name")).toBe("no session with that name");
    expect(errorLine("PID CMD\n1 init\n2 sh\n3 node\n")).toBe("");
  });

  it("is kept whole, so that long messages stay different", () => {
    const line = (name: string): string => `error: ${"the cart service of the shop is missing ".repeat(5)}${name}`;
    const [one, other] = ["a-file", "b-file"].map((name) => lastError(line(name)));
    expect(one).toContain("a-file");
    expect(errorMessage(one ?? "")).not.toBe(errorMessage(other ?? ""));
  });
});
