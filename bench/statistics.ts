/** Median, minimum and maximum of several rounds. */
export interface Spread {
  median: number;
  low: number;
  high: number;
}

export function spreadOf(values: readonly number[]): Spread {
  if (values.length === 0) throw new Error('a spread needs at least one value');
  const sorted = values.toSorted((one, other) => one - other);
  return {
    median: quantile(sorted, 0.5),
    low: sorted[0] as number,
    high: sorted.at(-1) as number,
  };
}

/** Returns a quantile of sorted numbers, with linear interpolation. */
export function quantile(sorted: ArrayLike<number>, share: number): number {
  const index = (sorted.length - 1) * share;
  const below = sorted[Math.floor(index)] ?? Number.NaN;
  const above = sorted[Math.ceil(index)] ?? Number.NaN;
  return below + (above - below) * (index - Math.floor(index));
}

/** Formats a spread as `0.93 (0.91–0.95)`: median, minimum and maximum. */
export function formatSpread({ median, low, high }: Spread, unit = ''): string {
  return `${number(median)}${unit} (${number(low)}–${number(high)})`;
}

/** Formats a number with three significant digits or more. */
export function number(value: number): string {
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString('en-GB');
  if (Math.abs(value) >= 100) return value.toFixed(0);
  if (Math.abs(value) >= 10) return value.toFixed(1);
  return value.toFixed(2);
}
