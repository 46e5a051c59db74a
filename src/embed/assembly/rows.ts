// Operations on rows (a row is a token's vector): embedding lookup, layer norm, GELU, quantisation to 7 bits.
import { GROUP } from "./linear";
import { exp2Of, maxOf, ONE, rounded, ROUNDING, sumOf } from "./math";

/** The relaxed dot product needs 7 bits. */
const ACTIVATION_MAX: f32 = 127;

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

/** 0.3275911 / sqrt 2, and half of the factors of the formula below. */
const ERF_STEP = memory.data<f32>([0.2316419, 0.2316419, 0.2316419, 0.2316419]);
const ERF_1 = memory.data<f32>([0.127414796, 0.127414796, 0.127414796, 0.127414796]);
const ERF_2 = memory.data<f32>([-0.142248368, -0.142248368, -0.142248368, -0.142248368]);
const ERF_3 = memory.data<f32>([0.7107068705, 0.7107068705, 0.7107068705, 0.7107068705]);
const ERF_4 = memory.data<f32>([-0.7265760135, -0.7265760135, -0.7265760135, -0.7265760135]);
const ERF_5 = memory.data<f32>([0.5307027145, 0.5307027145, 0.5307027145, 0.5307027145]);
/** log2(e) / -2, because e^(-x * x / 2) = 2^(-x * x * log2(e) / 2). */
const HALF_LOG2E = memory.data<f32>([-0.72134752, -0.72134752, -0.72134752, -0.72134752]);

/** x = x / 2 * (1 + erf(x / sqrt 2)), erf by Abramowitz and Stegun 7.1.26 (error at most 1.5e-7). */
export function gelu(x: usize, count: i32): void {
  for (let i: usize = 0; i < (<usize>count) << 2; i += 16) {
    const value = v128.load(x + i);
    const size = f32x4.abs(value);
    const t = f32x4.div(v128.load(ONE), f32x4.add(v128.load(ONE), f32x4.mul(size, v128.load(ERF_STEP))));
    let p = f32x4.add(f32x4.mul(v128.load(ERF_5), t), v128.load(ERF_4));
    p = f32x4.add(f32x4.mul(p, t), v128.load(ERF_3));
    p = f32x4.add(f32x4.mul(p, t), v128.load(ERF_2));
    p = f32x4.mul(f32x4.add(f32x4.mul(p, t), v128.load(ERF_1)), t);
    // The share of the bell curve beyond |x|.
    const tail = f32x4.mul(p, exp2Of(f32x4.mul(f32x4.mul(size, size), v128.load(HALF_LOG2E))));
    v128.store(x + i, f32x4.sub(f32x4.pmax(value, f32x4.splat(0)), f32x4.mul(size, tail)));
  }
}

/**
 * q[t] = x[t] rounded to 7 bits, with a scale and a zero point for each group of columns. Four tokens are interleaved:
 * four bytes of each in turn. `groups` gets four scales, then four zero points, per group and four tokens.
 *
 * A column in `outliers` has values far larger than the rest of its group. Its rounded value is in an additional group
 * at the end, and only the rounding error in the group of its own. `scratch` has space for a row.
 */
export function quantiseRows(
  x: usize,
  q: usize,
  groups: usize,
  tokens: i32,
  size: i32,
  outliers: usize,
  outlierCount: i32,
  scratch: usize,
): void {
  const inputs = <usize>(size + outlierCount);
  const groupBytes = ((inputs + GROUP - 1) / GROUP) << 5;
  for (let t = 0; t < tokens; t++) {
    const lane = (<usize>t & 3) << 2;
    const out = q + (<usize>t & ~3) * inputs + lane;
    const first = groups + (<usize>t >> 2) * groupBytes + lane;
    let row = x + ((<usize>t * <usize>size) << 2);
    if (outlierCount > 0) {
      memory.copy(scratch, row, (<usize>size) << 2);
      row = scratch;
      takeOutliers(row, size, outliers, outlierCount, out + ((<usize>size) << 2), first + groupBytes - 32);
    }
    for (let i: usize = 0; i < <usize>size; i += GROUP)
      quantiseGroup(row + (i << 2), GROUP, out + (i << 2), first + ((i / GROUP) << 5));
  }
}

/** Moves the outliers of a row to a group of their own, twice, and leaves what rounding took from them. */
function takeOutliers(row: usize, size: i32, outliers: usize, count: i32, out: usize, group: usize): void {
  const taken = row + ((<usize>size) << 2);
  const half = (<usize>count) << 1;
  for (let i: usize = 0; i < half; i += 4) {
    const value = load<f32>(row + ((<usize>load<i32>(outliers + i)) << 2));
    store<f32>(taken + i, value);
    store<f32>(taken + i + half, value);
  }
  quantiseGroup(taken, <usize>count, out, group);
  const scale = load<f32>(group);
  const zero = load<f32>(group, 16);
  for (let i: usize = 0; i < half; i += 4) {
    const column = row + ((<usize>load<i32>(outliers + i)) << 2);
    const coarse = <f32>load<u8>(out + (i & ~15) + ((i >> 2) & 3));
    store<f32>(column, load<f32>(column) - (coarse - zero) * scale);
  }
}

/** Writes four bytes at every sixteenth byte. `count` is a multiple of 16. */
function quantiseGroup(x: usize, count: usize, out: usize, group: usize): void {
  let smallest = f32x4.splat(0);
  let largest = f32x4.splat(0);
  for (let i: usize = 0; i < count << 2; i += 16) {
    const value = v128.load(x + i);
    smallest = f32x4.pmin(smallest, value);
    largest = f32x4.pmax(largest, value);
  }
  const lowest = -maxOf(f32x4.neg(smallest));
  const range = max(maxOf(largest) - lowest, <f32>1e-30);
  const perUnit = ACTIVATION_MAX / range;
  const zero = nearest(-lowest * perUnit);
  store<f32>(group, range * (<f32>1 / ACTIVATION_MAX));
  store<f32>(group, zero, 16);
  const factor = f32x4.splat(perUnit);
  const offset = f32x4.splat(zero + ROUNDING);
  for (let i: usize = 0; i < count << 2; i += 64) {
    const low = i16x8.narrow_i32x4_s(rounded(x + i, factor, offset), rounded(x + i + 16, factor, offset));
    const high = i16x8.narrow_i32x4_s(rounded(x + i + 32, factor, offset), rounded(x + i + 48, factor, offset));
    // A value between 127 and 127.5 is rounded to 128: saturating keeps it in 7 bits.
    const bytes = i8x16.max_s(i8x16.narrow_i16x8_s(low, high), i8x16.splat(0));
    v128.store_lane<u32>(out + i, bytes, 0);
    v128.store_lane<u32>(out + i, bytes, 1, 16);
    v128.store_lane<u32>(out + i, bytes, 2, 32);
    v128.store_lane<u32>(out + i, bytes, 3, 48);
  }
}
