// Operations on rows (a row is a token's vector): embedding lookup, layer norm, GELU, quantisation to 16 bits.
import { expOf, maxOf, sumOf } from "./math";

/** Small enough that the sum of products with 127 over a group of inputs fits into 32 bits. */
const ACTIVATION_MAX: f32 = 4095;

/** out[t] = words[ids[t]] * scale + places[positions[t]]. */
export function lookUp(
  ids: usize,
  positions: usize,
  words: usize,
  wordScale: usize,
  places: usize,
  out: usize,
  tokens: i32,
  size: i32,
): void {
  for (let t = 0; t < tokens; t++) {
    const id = <usize>load<i32>(ids + ((<usize>t) << 2));
    const place = places + <usize>load<i32>(positions + ((<usize>t) << 2)) * ((<usize>size) << 2);
    const word = words + id * <usize>size;
    const scale = f32x4.splat(load<f32>(wordScale + (id << 2)));
    const row = out + <usize>t * ((<usize>size) << 2);
    for (let i: usize = 0; i < <usize>size; i += 8) {
      const wide = v128.load_ext<i8>(word + i);
      const low = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(wide)), scale);
      const high = f32x4.mul(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(wide)), scale);
      v128.store(row + (i << 2), f32x4.add(low, v128.load(place + (i << 2))));
      v128.store(row + (i << 2) + 16, f32x4.add(high, v128.load(place + (i << 2) + 16)));
    }
  }
}

/** x[t] = layerNorm(x[t] + added[t]), with a gain and a bias per column. */
export function addNorm(x: usize, added: usize, gain: usize, bias: usize, tokens: i32, size: i32, epsilon: f32): void {
  const bytes = (<usize>size) << 2;
  for (let t = 0; t < tokens; t++) {
    const row = x + <usize>t * bytes;
    const other = added + <usize>t * bytes;
    let total = f32x4.splat(0);
    for (let i: usize = 0; i < bytes; i += 16) {
      const sum = f32x4.add(v128.load(row + i), v128.load(other + i));
      v128.store(row + i, sum);
      total = f32x4.add(total, sum);
    }
    const mean = f32x4.splat(sumOf(total) / <f32>size);
    let squares = f32x4.splat(0);
    for (let i: usize = 0; i < bytes; i += 16) {
      const d = f32x4.sub(v128.load(row + i), mean);
      squares = f32x4.add(squares, f32x4.mul(d, d));
    }
    const factor = f32x4.splat(<f32>1 / sqrt(sumOf(squares) / <f32>size + epsilon));
    for (let i: usize = 0; i < bytes; i += 16) {
      const scaled = f32x4.mul(f32x4.sub(v128.load(row + i), mean), factor);
      v128.store(row + i, f32x4.add(f32x4.mul(scaled, v128.load(gain + i)), v128.load(bias + i)));
    }
  }
}

/** x = x / 2 * (1 + erf(x / sqrt 2)), erf by Abramowitz and Stegun 7.1.26 (error at most 1.5e-7). */
export function gelu(x: usize, count: i32): void {
  for (let i: usize = 0; i < (<usize>count) << 2; i += 16) {
    const value = v128.load(x + i);
    const z = f32x4.mul(f32x4.abs(value), f32x4.splat(<f32>0.7071067811865476));
    const t = f32x4.div(f32x4.splat(1), f32x4.add(f32x4.splat(1), f32x4.mul(z, f32x4.splat(<f32>0.3275911))));
    let p = f32x4.splat(<f32>1.061405429);
    p = f32x4.add(f32x4.mul(p, t), f32x4.splat(<f32>-1.453152027));
    p = f32x4.add(f32x4.mul(p, t), f32x4.splat(<f32>1.421413741));
    p = f32x4.add(f32x4.mul(p, t), f32x4.splat(<f32>-0.284496736));
    p = f32x4.mul(f32x4.add(f32x4.mul(p, t), f32x4.splat(<f32>0.254829592)), t);
    const tail = f32x4.mul(p, expOf(f32x4.neg(f32x4.mul(z, z))));
    // x * (1 + erf) / 2 is x - x * tail / 2 for x >= 0 and x * tail / 2 for x < 0.
    const half = f32x4.mul(f32x4.mul(value, tail), f32x4.splat(0.5));
    const isNegative = f32x4.lt(value, f32x4.splat(0));
    v128.store(x + i, v128.bitselect(half, f32x4.sub(value, half), isNegative));
  }
}

/** q[t] = x[t] rounded to 16 bits, with a scale per row. */
export function quantiseRows(x: usize, q: usize, scales: usize, tokens: i32, size: i32): void {
  const bytes = (<usize>size) << 2;
  for (let t = 0; t < tokens; t++) {
    const row = x + <usize>t * bytes;
    const out = q + <usize>t * (bytes >> 1);
    let largest = f32x4.splat(0);
    for (let i: usize = 0; i < bytes; i += 16) largest = f32x4.max(largest, f32x4.abs(v128.load(row + i)));
    const peak = max(maxOf(largest), <f32>1e-30);
    store<f32>(scales + ((<usize>t) << 2), peak / ACTIVATION_MAX);
    const factor = f32x4.splat(ACTIVATION_MAX / peak);
    for (let i: usize = 0; i < bytes; i += 32) {
      const low = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(row + i), factor)));
      const high = i32x4.trunc_sat_f32x4_s(f32x4.nearest(f32x4.mul(v128.load(row + i + 16), factor)));
      v128.store(out + (i >> 1), i16x8.narrow_i32x4_s(low, high));
    }
  }
}
