// The vector scan. A record has a byte per dimension (a multiple of 16 dimensions), then its scale as a float.
import { sumsOf } from "./math";

/** out[r] = (records[r] . query) * scale of records[r]. The query has 16-bit numbers; `rows` is a multiple of four. */
export function dotRecords(records: usize, query: usize, out: usize, rows: i32, dimensions: i32): void {
  const n = <usize>dimensions;
  const stride = n + 4;
  for (let r = 0; r < rows; r += 4) {
    const r0 = records + <usize>r * stride;
    const r1 = r0 + stride;
    const r2 = r1 + stride;
    const r3 = r2 + stride;
    let a = i32x4.splat(0);
    let b = i32x4.splat(0);
    let c = i32x4.splat(0);
    let d = i32x4.splat(0);
    for (let i: usize = 0; i < n; i += 8) {
      const q = v128.load(query + (i << 1));
      a = i32x4.add(a, i32x4.dot_i16x8_s(q, v128.load_ext<i8>(r0 + i)));
      b = i32x4.add(b, i32x4.dot_i16x8_s(q, v128.load_ext<i8>(r1 + i)));
      c = i32x4.add(c, i32x4.dot_i16x8_s(q, v128.load_ext<i8>(r2 + i)));
      d = i32x4.add(d, i32x4.dot_i16x8_s(q, v128.load_ext<i8>(r3 + i)));
    }
    const scales = f32x4(load<f32>(r0 + n), load<f32>(r1 + n), load<f32>(r2 + n), load<f32>(r3 + n));
    const sums = sumsOf(
      f32x4.convert_i32x4_s(a),
      f32x4.convert_i32x4_s(b),
      f32x4.convert_i32x4_s(c),
      f32x4.convert_i32x4_s(d),
    );
    v128.store(out + ((<usize>r) << 2), f32x4.mul(sums, scales));
  }
}

/** Writes row | bits << 16 for each code that differs from the query in at most `maxBits` bits. Returns their number. */
export function nearCodes(codes: usize, query: usize, out: usize, rows: i32, codeBytes: i32, maxBits: i32): i32 {
  let code = codes;
  let found = 0;
  for (let r = 0; r < rows; r++) {
    let bits: i64 = 0;
    for (let i: usize = 0; i < <usize>codeBytes; i += 8) {
      bits += popcnt<i64>(load<i64>(code + i) ^ load<i64>(query + i));
    }
    if (<i32>bits <= maxBits) {
      store<u32>(out + ((<usize>found) << 2), <u32>r | ((<u32>bits) << 16));
      found++;
    }
    code += <usize>codeBytes;
  }
  return found;
}
