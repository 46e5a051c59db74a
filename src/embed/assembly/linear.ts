// The dense layer: 8-bit weights with a scale per group of inputs, 16-bit activations with a scale per token.
import { sumsOf } from "./math";

/** Inputs that share a scale. With one scale per 1,536 inputs, some texts would have a cosine below 0.9995. */
const GROUP: usize = 128;
/** The activations of this many tokens fit into the L1 cache. */
const BLOCK: i32 = 16;

/**
 * y[t][o] = sum over groups of (x[t] . w[o]) * scale * xScale[t], plus bias[o].
 * `tokens` is a multiple of two, `outputs` of four. The order of scales: four outputs of a group, then the next group.
 */
export function linear(
  x: usize,
  xScale: usize,
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
  for (let start = 0; start < tokens; start += BLOCK) {
    const end = min(start + BLOCK, tokens);
    for (let o: usize = 0; o < <usize>outputs; o += 4) {
      for (let t = start; t < end; t += 2) {
        const token = <usize>t;
        const out = y + token * row + (o << 2);
        tile(x + ((token * n) << 1), w + o * n, scales + (((o * n) / GROUP) << 2), n, out, out + row);
        finish(out, xScale + (token << 2), bias + (o << 2));
        finish(out + row, xScale + (token << 2) + 4, bias + (o << 2));
      }
    }
  }
}

/** Computes two tokens by four outputs: eight sums and their operands fit into sixteen registers. */
function tile(x: usize, w: usize, scales: usize, n: usize, out: usize, next: usize): void {
  let f0 = f32x4.splat(0);
  let f1 = f32x4.splat(0);
  let f2 = f32x4.splat(0);
  let f3 = f32x4.splat(0);
  let g0 = f32x4.splat(0);
  let g1 = f32x4.splat(0);
  let g2 = f32x4.splat(0);
  let g3 = f32x4.splat(0);
  let scale = scales;
  for (let group: usize = 0; group < n; group += GROUP) {
    let a0 = i32x4.splat(0);
    let a1 = i32x4.splat(0);
    let a2 = i32x4.splat(0);
    let a3 = i32x4.splat(0);
    let b0 = i32x4.splat(0);
    let b1 = i32x4.splat(0);
    let b2 = i32x4.splat(0);
    let b3 = i32x4.splat(0);
    for (let i = group; i < group + GROUP; i += 8) {
      const u = v128.load(x + (i << 1));
      const v = v128.load(x + ((i + n) << 1));
      let k = v128.load_ext<i8>(w + i);
      a0 = i32x4.add(a0, i32x4.dot_i16x8_s(u, k));
      b0 = i32x4.add(b0, i32x4.dot_i16x8_s(v, k));
      k = v128.load_ext<i8>(w + i + n);
      a1 = i32x4.add(a1, i32x4.dot_i16x8_s(u, k));
      b1 = i32x4.add(b1, i32x4.dot_i16x8_s(v, k));
      k = v128.load_ext<i8>(w + i + 2 * n);
      a2 = i32x4.add(a2, i32x4.dot_i16x8_s(u, k));
      b2 = i32x4.add(b2, i32x4.dot_i16x8_s(v, k));
      k = v128.load_ext<i8>(w + i + 3 * n);
      a3 = i32x4.add(a3, i32x4.dot_i16x8_s(u, k));
      b3 = i32x4.add(b3, i32x4.dot_i16x8_s(v, k));
    }
    let s = v128.load_splat<f32>(scale);
    f0 = f32x4.add(f0, f32x4.mul(f32x4.convert_i32x4_s(a0), s));
    g0 = f32x4.add(g0, f32x4.mul(f32x4.convert_i32x4_s(b0), s));
    s = v128.load_splat<f32>(scale, 4);
    f1 = f32x4.add(f1, f32x4.mul(f32x4.convert_i32x4_s(a1), s));
    g1 = f32x4.add(g1, f32x4.mul(f32x4.convert_i32x4_s(b1), s));
    s = v128.load_splat<f32>(scale, 8);
    f2 = f32x4.add(f2, f32x4.mul(f32x4.convert_i32x4_s(a2), s));
    g2 = f32x4.add(g2, f32x4.mul(f32x4.convert_i32x4_s(b2), s));
    s = v128.load_splat<f32>(scale, 12);
    f3 = f32x4.add(f3, f32x4.mul(f32x4.convert_i32x4_s(a3), s));
    g3 = f32x4.add(g3, f32x4.mul(f32x4.convert_i32x4_s(b3), s));
    scale += 16;
  }
  v128.store(out, sumsOf(f0, f1, f2, f3));
  v128.store(next, sumsOf(g0, g1, g2, g3));
}

function finish(out: usize, tokenScale: usize, bias: usize): void {
  const scaled = f32x4.mul(v128.load(out), v128.load_splat<f32>(tokenScale));
  v128.store(out, f32x4.add(scaled, v128.load(bias)));
}
