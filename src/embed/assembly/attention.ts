// Self-attention of one text, head by head, in floats.
import { expOf, maxOf, sumOf } from "./math";

const HEAD: i32 = 32;
const HEAD_BYTES: usize = 128;
/** The score of padding columns. e^score is 0. */
const MASKED: f32 = -1e30;

/**
 * out[t][head] = softmax(q[t] . k / sqrt(32)) v. A row of `qkv` is a query, a key and a value of `size` floats each.
 * `scratch` holds the transposed keys of a head and one row of scores: 33 * (tokens rounded up to 8) floats.
 */
export function attend(qkv: usize, out: usize, scratch: usize, tokens: i32, size: i32): void {
  const rowBytes = (<usize>size * 3) << 2;
  const vectorBytes = (<usize>size) << 2;
  const scoreBytes = ((<usize>tokens + 7) & ~7) << 2;
  const scores = scratch + <usize>HEAD * scoreBytes;
  for (let head: usize = 0; head < vectorBytes; head += HEAD_BYTES) {
    transposeKeys(qkv + vectorBytes + head, rowBytes, scratch, tokens, scoreBytes);
    for (let t = 0; t < tokens; t++) {
      score(qkv + <usize>t * rowBytes + head, scratch, scoreBytes, scores);
      for (let i = (<usize>tokens) << 2; i < scoreBytes; i += 4) store<f32>(scores + i, MASKED);
      const sum = exponentials(scores, scoreBytes);
      weighValues(
        scores,
        qkv + 2 * vectorBytes + head,
        rowBytes,
        tokens,
        <f32>1 / sum,
        out + <usize>t * vectorBytes + head,
      );
    }
  }
}

function transposeKeys(keys: usize, rowBytes: usize, transposed: usize, tokens: i32, scoreBytes: usize): void {
  memory.fill(transposed, 0, <usize>HEAD * scoreBytes);
  for (let t = 0; t < tokens; t++) {
    const key = keys + <usize>t * rowBytes;
    const column = transposed + ((<usize>t) << 2);
    for (let d: usize = 0; d < <usize>HEAD; d++) store<f32>(column + d * scoreBytes, load<f32>(key + (d << 2)));
  }
}

/** Computes the scores of eight tokens at a time, which avoids horizontal sums. */
function score(query: usize, transposed: usize, scoreBytes: usize, scores: usize): void {
  const factor = f32x4.splat(<f32>1 / sqrt(<f32>HEAD));
  for (let i: usize = 0; i < scoreBytes; i += 32) {
    let a = f32x4.splat(0);
    let b = f32x4.splat(0);
    let column = transposed + i;
    for (let d: usize = 0; d < HEAD_BYTES; d += 4) {
      const q = v128.load_splat<f32>(query + d);
      a = f32x4.add(a, f32x4.mul(q, v128.load(column)));
      b = f32x4.add(b, f32x4.mul(q, v128.load(column + 16)));
      column += scoreBytes;
    }
    v128.store(scores + i, f32x4.mul(a, factor));
    v128.store(scores + i + 16, f32x4.mul(b, factor));
  }
}

/** Replaces the scores by e^(score - largest score), which cannot overflow, and returns their sum. */
function exponentials(scores: usize, scoreBytes: usize): f32 {
  let largest = f32x4.splat(MASKED);
  for (let i: usize = 0; i < scoreBytes; i += 16) largest = f32x4.max(largest, v128.load(scores + i));
  const peak = f32x4.splat(maxOf(largest));
  let sum = f32x4.splat(0);
  for (let i: usize = 0; i < scoreBytes; i += 16) {
    const e = expOf(f32x4.sub(v128.load(scores + i), peak));
    v128.store(scores + i, e);
    sum = f32x4.add(sum, e);
  }
  return sumOf(sum);
}

function weighValues(scores: usize, values: usize, rowBytes: usize, tokens: i32, factor: f32, out: usize): void {
  let s0 = f32x4.splat(0);
  let s1 = f32x4.splat(0);
  let s2 = f32x4.splat(0);
  let s3 = f32x4.splat(0);
  let s4 = f32x4.splat(0);
  let s5 = f32x4.splat(0);
  let s6 = f32x4.splat(0);
  let s7 = f32x4.splat(0);
  let value = values;
  for (let t: usize = 0; t < (<usize>tokens) << 2; t += 4) {
    const p = v128.load_splat<f32>(scores + t);
    s0 = f32x4.add(s0, f32x4.mul(p, v128.load(value)));
    s1 = f32x4.add(s1, f32x4.mul(p, v128.load(value, 16)));
    s2 = f32x4.add(s2, f32x4.mul(p, v128.load(value, 32)));
    s3 = f32x4.add(s3, f32x4.mul(p, v128.load(value, 48)));
    s4 = f32x4.add(s4, f32x4.mul(p, v128.load(value, 64)));
    s5 = f32x4.add(s5, f32x4.mul(p, v128.load(value, 80)));
    s6 = f32x4.add(s6, f32x4.mul(p, v128.load(value, 96)));
    s7 = f32x4.add(s7, f32x4.mul(p, v128.load(value, 112)));
    value += rowBytes;
  }
  const scale = f32x4.splat(factor);
  v128.store(out, f32x4.mul(s0, scale));
  v128.store(out, f32x4.mul(s1, scale), 16);
  v128.store(out, f32x4.mul(s2, scale), 32);
  v128.store(out, f32x4.mul(s3, scale), 48);
  v128.store(out, f32x4.mul(s4, scale), 64);
  v128.store(out, f32x4.mul(s5, scale), 80);
  v128.store(out, f32x4.mul(s6, scale), 96);
  v128.store(out, f32x4.mul(s7, scale), 112);
}
