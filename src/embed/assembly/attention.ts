// Self-attention of one text, head by head, with queries, keys, values and probabilities rounded to 16 bits.
import { exp2Of, maxOf, rounded, ROUNDING, sumOf } from "./math";

const HEAD: usize = 32;
const HEAD_BYTES: usize = 128;
/** Queries that are compared at once: four by eight sums and their operands fit into sixteen registers. */
const QUERIES: i32 = 4;
/** The score of padding columns. 2^score is 0. */
const MASKED: f32 = -1e30;
/** log2(e) / sqrt(32): the scores are exponents of two. */
const SCORE_SCALE: f32 = 0.255034867;
/** Small enough that 32 products of a query and a key fit into 32 bits. */
const KEY_MAX: f32 = 8191;
/** The probabilities of a query add up to this, so that their products with values fit into 32 bits. */
const WORD_MAX: f32 = 32_767;

/**
 * out[t][head] = softmax(q[t] . k / sqrt(32)) v. A row of `qkv` is a query, a key and a value of `size` floats each.
 * `scratch` has 208 bytes for each token, rounded up to eight tokens. Up to three rows after the text are overwritten
 * in `out`.
 */
export function attend(qkv: usize, out: usize, scratch: usize, tokens: i32, size: i32): void {
  const rowBytes = (<usize>size * 3) << 2;
  const vectorBytes = (<usize>size) << 2;
  const columns = (<usize>tokens + 7) & ~7;
  const keys = scratch + columns * 64;
  const values = keys + columns * 64;
  const scores = values + columns * 64;
  for (let head: usize = 0; head < vectorBytes; head += HEAD_BYTES) {
    const scale =
      packQueries(qkv + head, rowBytes, scratch, tokens) *
      packKeys(qkv + vectorBytes + head, rowBytes, keys, tokens, columns);
    const valueScale = packValues(qkv + 2 * vectorBytes + head, rowBytes, values, tokens);
    for (let t = 0; t < tokens; t += QUERIES) {
      score(scratch + ((<usize>t) << 6), keys, columns, scores, scale * SCORE_SCALE);
      for (let row = scores; row < scores + ((columns * QUERIES) << 2); row += columns << 2) {
        for (let i = <usize>tokens; i < columns; i++) store<f32>(row + (i << 2), MASKED);
        softmax(row, columns);
      }
      weighValues(
        scores,
        columns << 2,
        values,
        tokens,
        valueScale / WORD_MAX,
        out + <usize>t * vectorBytes + head,
        vectorBytes,
      );
    }
  }
}

/** The largest number of a head in all tokens. */
function peakOf(x: usize, rowBytes: usize, tokens: i32): f32 {
  let largest = f32x4.splat(1e-30);
  for (let t = 0; t < tokens; t++, x += rowBytes)
    for (let i: usize = 0; i < HEAD_BYTES; i += 16) largest = f32x4.pmax(largest, f32x4.abs(v128.load(x + i)));
  return maxOf(largest);
}

/** Eight floats, multiplied and rounded to 16 bits. */
function words(x: usize, factor: v128): v128 {
  const offset = f32x4.splat(ROUNDING);
  return i16x8.narrow_i32x4_s(rounded(x, factor, offset), rounded(x + 16, factor, offset));
}

/** Returns the scale, like the two functions below. */
function packQueries(x: usize, rowBytes: usize, out: usize, tokens: i32): f32 {
  const peak = peakOf(x, rowBytes, tokens);
  const factor = f32x4.splat(KEY_MAX / peak);
  for (let t = 0; t < tokens; t++, x += rowBytes)
    for (let i: usize = 0; i < HEAD_BYTES; i += 32, out += 16) v128.store(out, words(x + i, factor));
  return peak / KEY_MAX;
}

/** A row for each two dimensions, with a column for each token. */
function packKeys(x: usize, rowBytes: usize, out: usize, tokens: i32, columns: usize): f32 {
  const peak = peakOf(x, rowBytes, tokens);
  const factor = f32x4.splat(KEY_MAX / peak);
  const row = columns << 2;
  for (let t = 0; t < tokens; t++, x += rowBytes, out += 4) {
    let to = out;
    for (let i: usize = 0; i < HEAD_BYTES; i += 32, to += row << 2) {
      const key = words(x + i, factor);
      v128.store_lane<u32>(to, key, 0);
      v128.store_lane<u32>(to + row, key, 1);
      v128.store_lane<u32>(to + 2 * row, key, 2);
      v128.store_lane<u32>(to + 3 * row, key, 3);
    }
  }
  return peak / KEY_MAX;
}

/** Two tokens are interleaved, dimension by dimension. */
function packValues(x: usize, rowBytes: usize, out: usize, tokens: i32): f32 {
  const peak = peakOf(x, rowBytes, tokens);
  const factor = f32x4.splat(WORD_MAX / peak);
  for (let t = 0; t < tokens; t += 2, x += rowBytes << 1) {
    for (let i: usize = 0; i < HEAD_BYTES; i += 32, out += 32) {
      const a = words(x + i, factor);
      const b = t + 1 < tokens ? words(x + i + rowBytes, factor) : i16x8.splat(0);
      v128.store(out, v128.shuffle<i16>(a, b, 0, 8, 1, 9, 2, 10, 3, 11));
      v128.store(out, v128.shuffle<i16>(a, b, 4, 12, 5, 13, 6, 14, 7, 15), 16);
    }
  }
  return peak / WORD_MAX;
}

/** Compares four queries with all keys, eight at a time. */
function score(queries: usize, keys: usize, columns: usize, scores: usize, scale: f32): void {
  const row = columns << 2;
  for (let i: usize = 0; i < row; i += 32) {
    let a0 = i32x4.splat(0);
    let a1 = i32x4.splat(0);
    let b0 = i32x4.splat(0);
    let b1 = i32x4.splat(0);
    let c0 = i32x4.splat(0);
    let c1 = i32x4.splat(0);
    let d0 = i32x4.splat(0);
    let d1 = i32x4.splat(0);
    let key = keys + i;
    for (let query = queries; query < queries + (HEAD << 1); query += 4, key += row) {
      const k0 = v128.load(key);
      const k1 = v128.load(key, 16);
      let q = v128.load_splat<u32>(query);
      a0 = i32x4.add(a0, i32x4.dot_i16x8_s(q, k0));
      a1 = i32x4.add(a1, i32x4.dot_i16x8_s(q, k1));
      q = v128.load_splat<u32>(query, 64);
      b0 = i32x4.add(b0, i32x4.dot_i16x8_s(q, k0));
      b1 = i32x4.add(b1, i32x4.dot_i16x8_s(q, k1));
      q = v128.load_splat<u32>(query, 128);
      c0 = i32x4.add(c0, i32x4.dot_i16x8_s(q, k0));
      c1 = i32x4.add(c1, i32x4.dot_i16x8_s(q, k1));
      q = v128.load_splat<u32>(query, 192);
      d0 = i32x4.add(d0, i32x4.dot_i16x8_s(q, k0));
      d1 = i32x4.add(d1, i32x4.dot_i16x8_s(q, k1));
    }
    storeScaled(scores + i, a0, a1, scale);
    storeScaled(scores + i + row, b0, b1, scale);
    storeScaled(scores + i + 2 * row, c0, c1, scale);
    storeScaled(scores + i + 3 * row, d0, d1, scale);
  }
}

function storeScaled(out: usize, low: v128, high: v128, scale: f32): void {
  v128.store(out, f32x4.mul(f32x4.convert_i32x4_s(low), f32x4.splat(scale)));
  v128.store(out, f32x4.mul(f32x4.convert_i32x4_s(high), f32x4.splat(scale)), 16);
}

/** Replaces the scores by probabilities of 16 bits. 2^(score - largest score) cannot overflow. */
function softmax(scores: usize, columns: usize): void {
  const end = scores + (columns << 2);
  let largest = f32x4.splat(MASKED);
  for (let i = scores; i < end; i += 16) largest = f32x4.pmax(largest, v128.load(i));
  const peak = f32x4.splat(maxOf(largest));
  let sum = f32x4.splat(0);
  for (let i = scores; i < end; i += 16) {
    const e = exp2Of(f32x4.sub(v128.load(i), peak));
    v128.store(i, e);
    sum = f32x4.add(sum, e);
  }
  const factor = f32x4.splat(WORD_MAX / sumOf(sum));
  let out = scores;
  for (let i = scores; i < end; i += 32, out += 16) v128.store(out, words(i, factor));
}

/** Adds up the values of four queries, eight dimensions at a time. */
function weighValues(
  scores: usize,
  scoreBytes: usize,
  values: usize,
  tokens: i32,
  scale: f32,
  out: usize,
  outBytes: usize,
): void {
  const end = scores + (((<usize>tokens + 1) >> 1) << 2);
  for (let i: usize = 0; i < HEAD_BYTES; i += 32) {
    let a0 = i32x4.splat(0);
    let a1 = i32x4.splat(0);
    let b0 = i32x4.splat(0);
    let b1 = i32x4.splat(0);
    let c0 = i32x4.splat(0);
    let c1 = i32x4.splat(0);
    let d0 = i32x4.splat(0);
    let d1 = i32x4.splat(0);
    let value = values + i;
    for (let row = scores; row < end; row += 4, value += HEAD_BYTES) {
      const v0 = v128.load(value);
      const v1 = v128.load(value, 16);
      let p = v128.load_splat<u32>(row);
      a0 = i32x4.add(a0, i32x4.dot_i16x8_s(p, v0));
      a1 = i32x4.add(a1, i32x4.dot_i16x8_s(p, v1));
      p = v128.load_splat<u32>(row + scoreBytes);
      b0 = i32x4.add(b0, i32x4.dot_i16x8_s(p, v0));
      b1 = i32x4.add(b1, i32x4.dot_i16x8_s(p, v1));
      p = v128.load_splat<u32>(row + 2 * scoreBytes);
      c0 = i32x4.add(c0, i32x4.dot_i16x8_s(p, v0));
      c1 = i32x4.add(c1, i32x4.dot_i16x8_s(p, v1));
      p = v128.load_splat<u32>(row + 3 * scoreBytes);
      d0 = i32x4.add(d0, i32x4.dot_i16x8_s(p, v0));
      d1 = i32x4.add(d1, i32x4.dot_i16x8_s(p, v1));
    }
    storeScaled(out + i, a0, a1, scale);
    storeScaled(out + i + outBytes, b0, b1, scale);
    storeScaled(out + i + 2 * outBytes, c0, c1, scale);
    storeScaled(out + i + 3 * outBytes, d0, d1, scale);
  }
}
