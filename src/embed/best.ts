// The best few of many: rows with their scores, highest first.

export interface Hit {
  row: number;
  score: number;
}

export interface Best {
  /** Scores at or below this need not be offered. */
  floor: number;
  offer(row: number, score: number): void;
  readonly hits: Hit[];
}

export function createBest(limit: number, accept: ((row: number) => boolean) | undefined): Best {
  const hits: Hit[] = [];
  const best: Best = {
    floor: limit > 0 ? -Infinity : Infinity,
    offer(row, score) {
      // A number that is none would sort anywhere.
      if (!(score > best.floor) || accept?.(row) === false) return;
      let place = hits.length;
      while (place > 0 && (hits[place - 1]?.score ?? Infinity) < score) place--;
      hits.splice(place, 0, { row, score });
      if (hits.length > limit) hits.pop();
      if (hits.length === limit) best.floor = hits.at(-1)?.score ?? best.floor;
    },
    hits,
  };
  return best;
}
