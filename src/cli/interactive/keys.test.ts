import { PassThrough } from "node:stream";
import { setTimeout } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Key, readKeys } from "./keys.ts";

const key = (name: string): Key => ({ kind: "key", name });
const text = (value: string): Key => ({ kind: "text", text: value });

async function read(...pieces: (string | Uint8Array)[]): Promise<Key[]> {
  const stdin = new PassThrough();
  const keys: Key[] = [];
  const close = readKeys(stdin, (more) => keys.push(...more));
  for (const piece of pieces) stdin.write(piece);
  // Longer than an escape may take.
  await setTimeout(250);
  close();
  return keys;
}

describe("readKeys", () => {
  it.each<[string, Key[]]>([
    ["abc", [text("abc")]],
    ["日本語 ü 👩‍👩‍👧", [text("日本語 ü 👩‍👩‍👧")]],
    ["\u001b[A\u001b[B", [key("up"), key("down")]],
    ["\u001bOA\u001bOB", [key("up"), key("down")]],
    ["\u001b[5~\u001b[6~", [key("pageup"), key("pagedown")]],
    ["a\u007fb\r", [text("a"), key("backspace"), text("b"), key("return")]],
    ["\t\u001b[Z", [key("tab"), key("shift-tab")]],
    ["\u0001\u0003\u0010\u000e\u0014", ["ctrl-a", "ctrl-c", "ctrl-p", "ctrl-n", "ctrl-t"].map(key)],
    ["\u001b", [key("escape")]],
    ["\u001b\u007f\u001bb\u001b[1;5C", [key("meta-backspace"), key("meta-b"), key("ctrl-right")]],
    ["\u001b[200~two\nlines\u0000 and\ttabs\u001b[201~!", [text("two lines  and tabs!")]],
    ["one\rtwo\r\nthree", [text("one two three")]],
    ["one\rtwo\r", [text("one two"), text(" ")]],
    ["one\r", [text("one"), key("return")]],
  ])("reads %j as %j", async (input, keys) => {
    expect(await read(input)).toEqual(keys);
  });

  it("joins split sequences, characters and pastes", async () => {
    expect(await read("\u001b[1;", "5C")).toEqual([key("ctrl-right")]);
    const wide = Buffer.from("語");
    expect(await read(wide.subarray(0, 1), wide.subarray(1))).toEqual([text("語")]);
    expect(await read("\u001b[200~long ", "paste\u001b[20", "1~")).toEqual([text("long paste")]);
  });

  it("passes ctrl-c on during a paste that never ends", async () => {
    expect(await read("\u001b[200~stuck", "\u0003")).toEqual([key("ctrl-c")]);
  });

  it("never turns bytes into text with control characters", async () => {
    const inputs = fc.sample(fc.uint8Array(), 100);
    const keys = (await Promise.all(inputs.map((bytes) => read(bytes)))).flat();
    const texts = keys.map((one) => (one.kind === "text" ? one.text : "")).join("");
    // oxlint-disable-next-line no-control-regex
    expect(texts).not.toMatch(/[\u0000-\u001f\u007f-\u009f]/);
  });
});
