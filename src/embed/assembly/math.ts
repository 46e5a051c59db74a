// 2^x, horizontal sums and the dot product of bytes, which WebAssembly does not have or not in all engines.

// Constants are loaded from memory: V8 would need three instructions at each use, and GELU a quarter more time.

export const ONE = memory.data<f32>([1, 1, 1, 1]);
/** For a smaller x, 2^x is not a normal float. */
const MIN_EXPONENT = memory.data<f32>([-126, -126, -126, -126]);
/** 1.5 * 2^23: a float plus this has no bits after the point, and its low bits are the nearest integer. */
export const ROUNDING: f32 = 12_582_912;
const ROUNDINGS = memory.data<f32>([12_582_912, 12_582_912, 12_582_912, 12_582_912]);
const EXPONENT_BIAS = memory.data<i32>([127, 127, 127, 127]);
/** Factors of a polynomial for 2^x from -0.5 to 0.5. */
const POWER_1 = memory.data<f32>([6.931469671e-1, 6.931469671e-1, 6.931469671e-1, 6.931469671e-1]);
const POWER_2 = memory.data<f32>([2.402211974e-1, 2.402211974e-1, 2.402211974e-1, 2.402211974e-1]);
const POWER_3 = memory.data<f32>([5.55071331e-2, 5.55071331e-2, 5.55071331e-2, 5.55071331e-2]);
const POWER_4 = memory.data<f32>([9.67554036e-3, 9.67554036e-3, 9.67554036e-3, 9.67554036e-3]);
const POWER_5 = memory.data<f32>([1.3276454e-3, 1.3276454e-3, 1.3276454e-3, 1.3276454e-3]);

/** The integers nearest to x * factor + offset: `offset` includes ROUNDING. */
export function rounded(x: usize, factor: v128, offset: v128): v128 {
  return i32x4.sub(f32x4.add(f32x4.mul(v128.load(x), factor), offset), v128.load(ROUNDINGS));
}

/** 2^x for x <= 0, with a relative error below 2e-7. */
export function exp2Of(x: v128): v128 {
  const clamped = f32x4.pmax(x, v128.load(MIN_EXPONENT));
  const shifted = f32x4.add(clamped, v128.load(ROUNDINGS));
  const r = f32x4.sub(clamped, f32x4.sub(shifted, v128.load(ROUNDINGS)));
  let p = f32x4.add(f32x4.mul(v128.load(POWER_5), r), v128.load(POWER_4));
  p = f32x4.add(f32x4.mul(p, r), v128.load(POWER_3));
  p = f32x4.add(f32x4.mul(p, r), v128.load(POWER_2));
  p = f32x4.add(f32x4.mul(p, r), v128.load(POWER_1));
  p = f32x4.add(f32x4.mul(p, r), v128.load(ONE));
  return f32x4.mul(p, i32x4.shl(i32x4.add(shifted, v128.load(EXPONENT_BIAS)), 23));
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
export function dot(a: v128, b: v128, sums: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) return i32x4.relaxed_dot_i8x16_i7x16_add_s(a, b, sums);
  const low = i32x4.dot_i16x8_s(i16x8.extend_low_i8x16_s(a), i16x8.extend_low_i8x16_s(b));
  const high = i32x4.dot_i16x8_s(i16x8.extend_high_i8x16_s(a), i16x8.extend_high_i8x16_s(b));
  const pairs = i32x4.add(v128.shuffle<i32>(low, high, 0, 2, 4, 6), v128.shuffle<i32>(low, high, 1, 3, 5, 7));
  return i32x4.add(sums, pairs);
}
