import type { Finding } from './benchmark.js';

/** Whether a finding reached what was hoped for, in a word. */
export function verdict({ reached }: Finding): string {
  if (reached === null) return 'reported';
  return reached ? 'reached' : 'not reached';
}
