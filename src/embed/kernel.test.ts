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
