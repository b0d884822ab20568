import type { Finding } from './benchmark.js';

export function verdict({ reached }: Finding): string {
  if (reached === null) return 'reported';
  return reached ? 'reached' : 'not reached';
}
