import type { FaultKind, FaultOptions } from '@tillkit/simulator';

export const DAY = 86_400_000;

/** Shorter durations for faults with long defaults. */
export const SHORT_FAULTS: Partial<Record<FaultKind, FaultOptions>> = {
  duplicate: { times: 3 },
  delay: { ms: 5_000 },
  replay: { ms: DAY },
  'before-create-answer': { ms: 1_000 },
  'read-slow': { ms: 1_500 },
  'read-drip': { ms: 1_500 },
  'token-slow': { ms: 1_500 },
};
