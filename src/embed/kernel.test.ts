import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { compileKernel } from "../../dev/compile-kernel.ts";
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
