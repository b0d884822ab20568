/** The middle of several rounds, and how far apart they lay. */
export interface Spread {
  median: number;
  low: number;
  high: number;
}

export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new Error('there is no spread of nothing');
  const sorted = values.toSorted((one, other) => one - other);
  return {
    median: quantile(sorted, 0.5),
    low: sorted[0] as number,
    high: sorted.at(-1) as number,
  };
}

/** A quantile of numbers that are in order already, between two neighbours where it falls between them. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const place = (sorted.length - 1) * share;
  const below = sorted[Math.floor(place)] ?? Number.NaN;
  const above = sorted[Math.ceil(place)] ?? Number.NaN;
  return below + (above - below) * (place - Math.floor(place));
}

/** `0.93 (0.91 to 0.95)` */
export function wordsOf({ median, low, high }: Spread, unit = ''): string {
  return `${number(median)}${unit} (${number(low)} to ${number(high)})`;
}

/** As many digits as say something. */
export function number(value: number): string {
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-GB');
  if (Math.abs(value) >= 100) return value.toFixed(0);
  if (Math.abs(value) >= 10) return value.toFixed(1);
  return value.toFixed(2);
}
