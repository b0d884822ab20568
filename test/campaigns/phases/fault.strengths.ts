import type { FaultKind, FaultOptions } from '@tillkit/simulator';

export const DAY = 86_400_000;

/** A campaign has no time for the long defaults of these faults. */
export const SHORT_FAULTS: Partial<Record<FaultKind, FaultOptions>> = {
  duplicate: { times: 3 },
  delay: { ms: 5_000 },
  replay: { ms: DAY },
  'before-create-answer': { ms: 1_000 },
  'read-slow': { ms: 1_500 },
  'read-drip': { ms: 1_500 },
  'token-slow': { ms: 1_500 },
};
