/** True when a search may take long: before a release, not at each run of the tests. */
export const IS_THOROUGH = process.env['TILLKIT_THOROUGH'] === '1';

/** Returns the number of times that a property is tried: a tenth of it, unless TILLKIT_THOROUGH=1. */
export function runs(most: number): number {
  return IS_THOROUGH ? most : Math.ceil(most / 10);
}

/** Returns about a hundred of many cases, spread over all of them; all of them with TILLKIT_THOROUGH=1. */
export function someOf<T>(cases: readonly T[]): readonly T[] {
  const step = IS_THOROUGH ? 1 : Math.max(1, Math.floor(cases.length / 100));
  return cases.filter((_, index) => index % step === 0);
}
