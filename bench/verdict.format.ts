import type { Finding } from './benchmark.js';

/** Whether a finding meets its target. */
export function verdict({ reached }: Finding): string {
  if (reached === null) return 'reported';
  return reached ? 'reached' : 'not reached';
}
