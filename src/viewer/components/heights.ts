// How tall each row of a long list is, as estimated or as measured, and where it stands: sums in a Fenwick tree, so that a measured
// row costs a few additions however long the list is.

export class Heights {
  readonly #estimate: (index: number) => number;
  #count = 0;
  #rows = new Float64Array(0);
  #measured = new Uint8Array(0);
  /** tree[i] holds the sum of the rows that end at i, as many as i's lowest bit says; from 1 on. */
  #tree = new Float64Array(1);

  constructor(count: number, estimate: (index: number) => number) {
    this.#estimate = estimate;
    this.resize(count);
  }

  get count(): number {
    return this.#count;
  }

  get total(): number {
    return this.top(this.#count);
  }

  /** Keeps what was measured of the rows that stay. */
  resize(count: number): void {
    const rows = new Float64Array(count);
    const measured = new Uint8Array(count);
    rows.set(this.#rows.subarray(0, count));
    measured.set(this.#measured.subarray(0, count));
    for (let index = 0; index < count; index += 1) if (measured[index] === 0) rows[index] = this.#estimate(index);
    this.#rows = rows;
    this.#measured = measured;
    this.#count = count;
    this.#tree = new Float64Array(count + 1);
    for (let node = 1; node <= count; node += 1) {
      this.#tree[node] = (this.#tree[node] ?? 0) + (rows[node - 1] ?? 0);
      const parent = node + (node & -node);
      if (parent <= count) this.#tree[parent] = (this.#tree[parent] ?? 0) + (this.#tree[node] ?? 0);
    }
  }

  /** Returns by how much the row is taller than it was taken to be. */
  measure(index: number, height: number): number {
    if (index < 0 || index >= this.#count) return 0;
    const change = height - (this.#rows[index] ?? 0);
    this.#measured[index] = 1;
    if (change === 0) return 0;
    this.#rows[index] = height;
    for (let node = index + 1; node <= this.#count; node += node & -node)
      this.#tree[node] = (this.#tree[node] ?? 0) + change;
    return change;
  }

  /** Where a row begins. */
  top(index: number): number {
    let sum = 0;
    for (let node = Math.min(index, this.#count); node > 0; node -= node & -node) sum += this.#tree[node] ?? 0;
    return sum;
  }

  /** The row at this height; the first or last one beyond the ends. */
  at(y: number): number {
    let node = 0;
    let left = y;
    for (let step = 2 ** Math.floor(Math.log2(Math.max(1, this.#count))); step >= 1; step /= 2) {
      const next = node + step;
      if (next <= this.#count && (this.#tree[next] ?? 0) <= left) {
        node = next;
        left -= this.#tree[next] ?? 0;
      }
    }
    return Math.max(0, Math.min(this.#count - 1, node));
  }
}
