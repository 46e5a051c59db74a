import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compileKernel } from "../../dev/compile-kernel.ts";
import { randomNormals } from "../../test/embed/tiny-model.ts";
import { createKernel } from "./kernel.ts";

describe("the kernel", () => {
  it("is compiled from the current source", async () => {
    await expect(compileKernel()).toMatchFileSnapshot(join(import.meta.dirname, "kernel.json"));
  });

  it("rounds GELU and the exponential to within a millionth", () => {
    const { run, memory, allocate } = createKernel();
    const count = 4_000;
    const at = allocate(count * 4);
    const view = new Float32Array(memory.buffer, at, count);
    const inputs = view.map((_, index) => (index - count / 2) / 200);
    view.set(inputs);
    run.gelu(at, count);
    const worst = Math.max(...inputs.map((x, index) => Math.abs((view[index] ?? Number.NaN) - gelu(x))));
    expect(worst).toBeLessThan(1e-6);
  });

  it("rounds a row with outliers as precisely as one without", () => {
    const { run, memory, allocate } = createKernel();
    const [tokens, size, outliers] = [4, 64, [0, 3, 17, 18, 30, 31, 40, 63]];
    const normal = randomNormals(11);
    const values = Float32Array.from(
      { length: tokens * size },
      (_, at) => normal() * (outliers.includes(at % size) ? 50 : 1),
    );
    const x = allocate(values.length * 4);
    const columns = allocate(outliers.length * 4);
    const rows = allocate(tokens * (size + 16));
    const groups = allocate(2 * 32);
    const scratch = allocate((size + 16) * 4);
    new Float32Array(memory.buffer, x, values.length).set(values);
    new Int32Array(memory.buffer, columns, outliers.length).set(outliers);
    run.quantiseRows(x, rows, groups, tokens, size, columns, 16, scratch);
    const rounded = new Uint8Array(memory.buffer, rows, tokens * (size + 16));
    const scales = new Float32Array(memory.buffer, groups, 16);
    /** An input of a token. Four tokens are interleaved, four bytes of each. */
    const input = (token: number, at: number): number => {
      const group = at < size ? 0 : 8;
      const byte = rounded[Math.floor(at / 4) * 16 + token * 4 + (at % 4)] ?? 0;
      return (byte - (scales[group + 4 + token] ?? 0)) * (scales[group + token] ?? 0);
    };
    for (const [at, value] of values.entries()) {
      const [token, column] = [Math.floor(at / size), at % size];
      const taken = outliers.indexOf(column);
      const sum = input(token, column) + (taken < 0 ? 0 : input(token, size + taken));
      expect(Math.abs(sum - value), `column ${column} of token ${token}`).toBeLessThan(0.03);
      if (taken >= 0) expect(input(token, size + taken)).toBe(input(token, size + 8 + taken));
    }
  });

  it("returns the same numbers with and without relaxed SIMD", () => {
    const [tokens, inputs, outputs, group] = [8, 192, 16, 64];
    const results = (["relaxed", "plain"] as const).map((variant) => {
      const { run, memory, allocate } = createKernel(variant);
      const normal = randomNormals(3);
      const fill = (count: number, next: () => number): number => {
        const at = allocate(count * 4);
        return (new Float32Array(memory.buffer, at, count).set(Float32Array.from({ length: count }, next)), at);
      };
      const x = fill(tokens * inputs, normal);
      const [quantised, groups] = [allocate(tokens * inputs), allocate((tokens * inputs * 8) / group)];
      const weights = allocate(inputs * outputs);
      // From -128 to 127, the whole range of a signed byte.
      new Int8Array(memory.buffer, weights, inputs * outputs).forEach((_, index, all) => (all[index] = index * 37));
      const scales = fill((inputs * outputs * 2) / group, normal);
      const bias = fill(outputs, normal);
      const y = allocate(tokens * outputs * 4);
      run.quantiseRows(x, quantised, groups, tokens, inputs, 0, 0, 0);
      run.linear(quantised, groups, weights, scales, bias, y, tokens, inputs, outputs);
      const rounded = new Uint8Array(memory.buffer, quantised, tokens * inputs);
      expect([Math.min(...rounded), Math.max(...rounded)]).toEqual([0, 127]);
      return new Float32Array(memory.buffer, y, tokens * outputs);
    });
    expect(results[0]).toEqual(results[1]);
  });
});

/** By the definition: x times the area under the bell curve left of x, by Simpson's rule. */
function gelu(x: number): number {
  const steps = 2_000;
  const width = x / steps;
  let area = 0;
  for (let step = 0; step <= steps; step++) {
    const weight = step === 0 || step === steps ? 1 : 2 + 2 * (step % 2);
    area += weight * Math.exp(-((step * width) ** 2) / 2);
  }
  return x * (0.5 + (area * width) / 3 / Math.sqrt(2 * Math.PI));
}
