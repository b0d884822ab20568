/** The merchants of one process: the last one is the one whose answers are measured. */
export const HOSTILE = ['m1', 'm2', 'm3', 'm4'] as const;
export const OTHER = 'other';

export function keyOf(account: string): string {
  return `the-api-key-of-${account}-for-this-measurement`;
}

/** The process says that it listens, how late the repeats of the other merchant's listener came, and its memory. */
export type MerchantsMessage =
  | { kind: 'ready'; url: string }
  | { kind: 'repeated'; lateMs: number }
  | { kind: 'memory'; rssMb: number };
