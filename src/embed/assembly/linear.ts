// The dense layer: 8-bit weights, 7-bit activations, and a scale for each group of inputs of both.
import { dot } from "./math";

/** Inputs that share a scale. The same constant is in ../layout.ts. */
export const GROUP: usize = 64;
/** Tokens and outputs of a tile: eight sums and their operands fit into sixteen registers. */
const TOKENS: i32 = 4;
const OUTPUTS: usize = 8;

/**
 * y[t][o] = bias[o] + sum over groups of (x[t] - zero[t]) . w[o] * scale[t] * scale[o].
 * `x` and `groups` are written by `quantiseRows`. Weights are in the order in which a tile reads them, and so are
 * `scales`: for each group eight scales, then eight sums of scaled weights.
 */
export function linear(
  x: usize,
  groups: usize,
  w: usize,
  scales: usize,
  bias: usize,
  y: usize,
  tokens: i32,
  inputs: i32,
  outputs: i32,
): void {
  const n = <usize>inputs;
  const row = (<usize>outputs) << 2;
  const groupBytes = ((n + GROUP - 1) / GROUP) << 5;
  for (let o: usize = 0; o < <usize>outputs; o += OUTPUTS) {
    const tileScales = scales + (o / OUTPUTS) * (groupBytes << 1);
    for (let t = 0; t < tokens; t += TOKENS) {
      const tileGroups = groups + <usize>(t / TOKENS) * groupBytes;
      const out = y + <usize>t * row + (o << 2);
      tile(x + <usize>t * n, tileGroups, w + o * n, tileScales, bias + (o << 2), n, out, row);
    }
  }
}

function tile(x: usize, groups: usize, w: usize, scales: usize, bias: usize, n: usize, out: usize, row: usize): void {
  for (let t: usize = 0; t < <usize>TOKENS; t++) {
    v128.store(out + t * row, v128.load(bias));
    v128.store(out + t * row, v128.load(bias, 16), 16);
  }
  for (let left = n; left > 0;) {
    const size = min(left, GROUP);
    left -= size;
    let a0 = i32x4.splat(0);
    let a1 = i32x4.splat(0);
    let b0 = i32x4.splat(0);
    let b1 = i32x4.splat(0);
    let c0 = i32x4.splat(0);
    let c1 = i32x4.splat(0);
    let d0 = i32x4.splat(0);
    let d1 = i32x4.splat(0);
    for (const end = x + (size << 2); x < end; x += 16) {
      const w0 = v128.load(w);
      const w1 = v128.load(w, 16);
      w += 32;
      let u = v128.load_splat<u32>(x);
      a0 = dot(w0, u, a0);
      a1 = dot(w1, u, a1);
      u = v128.load_splat<u32>(x, 4);
      b0 = dot(w0, u, b0);
      b1 = dot(w1, u, b1);
      u = v128.load_splat<u32>(x, 8);
      c0 = dot(w0, u, c0);
      c1 = dot(w1, u, c1);
      u = v128.load_splat<u32>(x, 12);
      d0 = dot(w0, u, d0);
      d1 = dot(w1, u, d1);
    }
    addScaled(out, a0, a1, groups, scales);
    addScaled(out + row, b0, b1, groups + 4, scales);
    addScaled(out + 2 * row, c0, c1, groups + 8, scales);
    addScaled(out + 3 * row, d0, d1, groups + 12, scales);
    groups += 32;
    scales += 64;
  }
}

/** Adds eight sums of a token to the outputs, without the part that its zero point added to them. */
function addScaled(out: usize, low: v128, high: v128, group: usize, scales: usize): void {
  const scale = v128.load_splat<f32>(group);
  const zero = v128.load_splat<f32>(group, 16);
  const a = f32x4.mul(f32x4.convert_i32x4_s(low), v128.load(scales));
  const b = f32x4.mul(f32x4.convert_i32x4_s(high), v128.load(scales, 16));
  const x = f32x4.mul(f32x4.sub(a, f32x4.mul(zero, v128.load(scales, 32))), scale);
  const y = f32x4.mul(f32x4.sub(b, f32x4.mul(zero, v128.load(scales, 48))), scale);
  v128.store(out, f32x4.add(v128.load(out), x));
  v128.store(out, f32x4.add(v128.load(out, 16), y), 16);
}
