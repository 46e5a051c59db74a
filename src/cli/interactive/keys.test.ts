import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createKeyReader, type Key } from "./keys.ts";

const key = (name: string): Key => ({ kind: "key", name });
const text = (value: string): Key => ({ kind: "text", text: value });
const bytes = (value: string) => Buffer.from(value);

function readAll(...pieces: string[]): Key[] {
  const reader = createKeyReader();
  return [...pieces.flatMap((piece) => reader.read(bytes(piece))), ...reader.flush()];
}

describe("keys", () => {
  it.each<[string, Key[]]>([
    ["abc", [text("abc")]],
    ["日本語 ü", [text("日本語 ü")]],
    ["\u001b[A\u001b[B", [key("up"), key("down")]],
    ["\u001bOA\u001bOB", [key("up"), key("down")]],
    ["\u001b[5~\u001b[6~", [key("page-up"), key("page-down")]],
    ["a\u007fb\r", [text("a"), key("backspace"), text("b"), key("enter")]],
    ["\t\u001b[Z", [key("tab"), key("shift-tab")]],
    ["\u0001\u0003\u0010\u000e\u0014", ["ctrl-a", "ctrl-c", "ctrl-p", "ctrl-n", "ctrl-t"].map(key)],
    ["\u001b", [key("escape")]],
    ["\u001b\u001b", [key("escape"), key("escape")]],
    ["\u001b\u007f\u001bb", [key("ctrl-w"), key("word-left")]],
    ["\u001b[200~two\nlines\u001b[A\u0000 and\ttabs\u001b[201~!", [text("two lines [A  and tabs!")]],
    ["one\rtwo", [text("one two")]],
  ])("%j is %j", (input, keys) => {
    expect(readAll(input)).toEqual(keys);
  });

  it("knows nothing of other sequences, and draws none of them", () => {
    expect(readAll("\u001b[1;2P\u001b[<0;3;4Mx\u001b[24~\u001bx\u009b")).toEqual([text("x")]);
    expect(readAll("\u001b[12")).toEqual([]);
  });

  it("puts split sequences, characters and pastes together again", () => {
    const reader = createKeyReader();
    expect(reader.read(bytes("\u001b"))).toEqual([]);
    expect(reader.read(bytes("[1;"))).toEqual([]);
    expect(reader.read(bytes("5C"))).toEqual([key("word-right")]);
    const wide = bytes("語");
    expect(reader.read(wide.subarray(0, 1))).toEqual([]);
    expect(reader.read(wide.subarray(1))).toEqual([text("語")]);
    expect(reader.read(bytes("\u001b[200~long "))).toEqual([]);
    expect(reader.flush()).toEqual([]);
    expect(reader.read(bytes("paste\u001b[20"))).toEqual([]);
    expect(reader.read(bytes("1~"))).toEqual([text("long paste")]);
  });

  it("lets ctrl-c out of a paste that never ends", () => {
    expect(readAll("\u001b[200~stuck", "\u0003")).toEqual([key("ctrl-c")]);
  });

  it("reads the same keys however the bytes are cut", () => {
    const pieces = fc.constantFrom("a", "語", "\u001b[A", "\u001b[5~", "\u007f", "\u001b[200~p\rq\u001b[201~", "\t");
    fc.assert(
      fc.property(fc.array(pieces), fc.array(fc.nat(5)), (input, cuts) => {
        const whole = bytes(input.join(""));
        const reader = createKeyReader();
        const keys: Key[] = [];
        let at = 0;
        for (const cut of cuts) keys.push(...reader.read(whole.subarray(at, (at += cut))));
        keys.push(...reader.read(whole.subarray(at)));
        const letters = (some: Key[]) => some.flatMap((one) => (one.kind === "text" ? [...one.text] : [one.name]));
        expect(letters(keys)).toEqual(letters(createKeyReader().read(whole)));
      }),
    );
  });

  it("makes of any bytes only text without control characters", () => {
    fc.assert(
      fc.property(fc.uint8Array(), (input) => {
        const reader = createKeyReader();
        for (const one of [...reader.read(input), ...reader.flush()]) {
          // oxlint-disable-next-line no-control-regex
          if (one.kind === "text") expect(one.text).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
        }
      }),
    );
  });
});
