import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { tinyHome } from "../../test/embed/tiny-model.ts";
import { loadEngine } from "./engine.ts";
import { layoutOf } from "./layout.ts";
import { minilmFile } from "./minilm.ts";
import { checkModel } from "./model-file.ts";
import { openTensors } from "./safetensors.ts";

/** The model's file after a change. */
function changed(change: (bytes: Buffer) => Buffer): string {
  const path = minilmFile(tinyHome());
  writeFileSync(path, change(readFileSync(path)));
  return path;
}

function flip(bytes: Buffer, at: number): Buffer {
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  return bytes;
}

describe("the model file", () => {
  it("is readable by its owner only, and leaves no half-written file", () => {
    const path = minilmFile(tinyHome());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(dirname(path))).toEqual(["model-3.int8"]);
  });

  it.each<[string, (bytes: Buffer) => Buffer]>([
    ["one bit of the weights flipped", (bytes) => flip(bytes, bytes.length - 1000)],
    ["one bit of the vocabulary flipped", (bytes) => flip(bytes, 1030)],
    ["one bit of its checksum's line flipped", (bytes) => flip(bytes, bytes.indexOf('"crc32"') + 9)],
    ["the end cut off", (bytes) => bytes.subarray(0, -1)],
    ["the weights cut off", (bytes) => bytes.subarray(0, 1100)],
    ["half a header", (bytes) => bytes.subarray(0, 60)],
    ["nothing in it", (bytes) => bytes.subarray(0, 0)],
    ["something else in it", () => Buffer.from("PK\u0003\u0004".repeat(1000))],
    ["an invalid size", (bytes) => Buffer.from(bytes.toString("latin1").replace('"layers":2', '"layers":-'), "latin1")],
  ])("with %s is reported as damaged", (_what, change) => {
    const path = changed(change);
    for (const load of [loadEngine, checkModel])
      expect(() => load(path)).toThrow(expect.objectContaining({ code: "model_damaged" }));
  });

  it("with a damaged word works for texts without that word, and the check reports it", () => {
    const whole = loadEngine(minilmFile(tinyHome()));
    const [word] = whole.tokenize("login").slice(1);
    const wordsAt = (bytes: Buffer): number => bytes.length - layoutOf(whole.shape).bytes;
    const path = changed((bytes) => flip(bytes, wordsAt(bytes) + (word ?? 0) * whole.shape.hidden + 5));
    const engine = loadEngine(path);
    const fine = engine.tokenize("the worker");
    expect(engine.forward([fine])).toEqual(whole.forward([fine]));
    const isDamage = expect.objectContaining({ code: "model_damaged" });
    expect(() => engine.forward([engine.tokenize("the login")])).toThrow(isDamage);
    expect(() => checkModel(path)).toThrow(isDamage);
    expect(checkModel(minilmFile(tinyHome()))).toEqual({ id: "tiny", shape: whole.shape });
  });

  it("that does not exist is reported as missing", () => {
    const nowhere = join(mkdtempSync(join(tmpdir(), "c-mem-none-")), "model.int8");
    expect(() => loadEngine(nowhere)).toThrow(expect.objectContaining({ code: "model_missing" }));
  });
});

describe("a safetensors file", () => {
  const halves = Uint16Array.from([0x3c00, 0xc000, 0x0001, 0x7bff, 0x8000, 0x3555]);
  const floats = Float32Array.from([1.5, -0.25]);

  function write(table: object, ...parts: Uint8Array[]): string {
    const json = Buffer.from(JSON.stringify(table));
    const length = Buffer.alloc(8);
    length.writeBigUInt64LE(BigInt(json.length));
    const path = join(mkdtempSync(join(tmpdir(), "c-mem-tensors-")), "x.safetensors");
    writeFileSync(path, Buffer.concat([length, json, ...parts]));
    return path;
  }
  const path = write(
    {
      half: { dtype: "F16", shape: [2, 3], data_offsets: [0, 12] },
      full: { dtype: "F32", shape: [2], data_offsets: [12, 20] },
      whole: { dtype: "I64", shape: [1], data_offsets: [0, 8] },
    },
    new Uint8Array(halves.buffer),
    new Uint8Array(floats.buffer),
  );

  it("contains 16-bit and 32-bit floats", () => {
    const tensors = openTensors(path);
    expect(tensors.shapeOf("half")).toEqual([2, 3]);
    expect([...tensors.read("half")]).toEqual([1, -2, 2 ** -24, 65_504, -0, Math.fround(0.333251953125)]);
    expect([...tensors.read("full")]).toEqual([1.5, -0.25]);
    expect(() => tensors.read("whole")).toThrow("I64");
    expect(() => tensors.read("none")).toThrow("has no none");
    tensors.close();
  });

  it("causes an error if it is cut off", () => {
    writeFileSync(`${path}.cut`, readFileSync(path).subarray(0, -4));
    expect(() => openTensors(`${path}.cut`).read("full")).toThrow("ends too early");
  });
});
