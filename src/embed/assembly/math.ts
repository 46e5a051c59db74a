// exp, horizontal sums and the dot product of bytes, which WebAssembly does not have or not in all engines.

const LOG2E: f32 = 1.4426950408889634;
// ln 2 in two parts, so that x - n * ln 2 loses no bits.
const LN2_HIGH: f32 = 0.693359375;
const LN2_LOW: f32 = -2.1219444e-4;
/** For a smaller x, e^x is not a normal float. */
const MIN_EXPONENT: f32 = -87;

/** 1.5 * 2^23: a float plus this has no bits after the point, and its low bits are the nearest integer. */
export const ROUNDING: f32 = 12_582_912;

/** The integers nearest to x * factor + offset: `offset` includes ROUNDING. */
// @ts-ignore: decorator of AssemblyScript
@inline
export function rounded(x: usize, factor: v128, offset: v128): v128 {
  return i32x4.sub(f32x4.add(f32x4.mul(v128.load(x), factor), offset), f32x4.splat(ROUNDING));
}

/** e^x for x <= 0, with a relative error below 1e-7. */
export function expOf(x: v128): v128 {
  const clamped = f32x4.pmax(x, f32x4.splat(MIN_EXPONENT));
  const shifted = f32x4.add(f32x4.mul(clamped, f32x4.splat(LOG2E)), f32x4.splat(ROUNDING));
  const n = f32x4.sub(shifted, f32x4.splat(ROUNDING));
  let r = f32x4.sub(clamped, f32x4.mul(n, f32x4.splat(LN2_HIGH)));
  r = f32x4.sub(r, f32x4.mul(n, f32x4.splat(LN2_LOW)));
  let p = f32x4.splat(1.98756915e-4);
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.3981999507e-3));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(8.3334519073e-3));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(4.1665795894e-2));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(1.6666665459e-1));
  p = f32x4.add(f32x4.mul(p, r), f32x4.splat(5.0000001201e-1));
  p = f32x4.add(f32x4.add(f32x4.mul(f32x4.mul(p, r), r), r), f32x4.splat(1));
  const power = i32x4.shl(i32x4.add(shifted, i32x4.splat(127)), 23);
  return f32x4.mul(p, power);
}

export function sumOf(v: v128): f32 {
  const pairs = f32x4.add(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1));
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1);
}

export function maxOf(v: v128): f32 {
  const pairs = f32x4.pmax(v, v128.shuffle<f32>(v, v, 2, 3, 0, 1));
  return max(f32x4.extract_lane(pairs, 0), f32x4.extract_lane(pairs, 1));
}

/** A vector with the sums of four vectors. */
export function sumsOf(a: v128, b: v128, c: v128, d: v128): v128 {
  const ab = f32x4.add(v128.shuffle<f32>(a, b, 0, 4, 1, 5), v128.shuffle<f32>(a, b, 2, 6, 3, 7));
  const cd = f32x4.add(v128.shuffle<f32>(c, d, 0, 4, 1, 5), v128.shuffle<f32>(c, d, 2, 6, 3, 7));
  return f32x4.add(v128.shuffle<f32>(ab, cd, 0, 1, 4, 5), v128.shuffle<f32>(ab, cd, 2, 3, 6, 7));
}

/**
 * Adds to each of the four sums four products: signed bytes of `a` by bytes of `b` that are at most 127. In this range
 * the relaxed instruction returns the same on every processor.
 */
// @ts-ignore: decorator of AssemblyScript
@inline
export function dot(a: v128, b: v128, sums: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return i32x4.relaxed_dot_i8x16_i7x16_add_s(a, b, sums);
  const low = i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(a), i16x8.extend_low_i8x16_s(b));
  const high = i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(a), i16x8.extend_high_i8x16_s(b));
  const pairs = i32x4.add(v128.shuffle<i32>(low, high, 0, 2, 4, 6), v128.shuffle<i32>(low, high, 1, 3, 5, 7));
  return i32x4.add(sums, pairs);
}
