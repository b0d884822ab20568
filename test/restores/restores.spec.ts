import { describe, expect, it } from '@jest/globals';
import type { Alterations } from '../support/altered.store.js';
import { RestoreHistory } from './restore.history.js';

const FIRST = Number(process.env['RESTORES_SEED'] ?? 1);
const HISTORIES = Number(process.env['RESTORES_HISTORIES'] ?? 3);
const MOST_FOR_A_FAULT = 20;

/** Each makes the store break a promise, which a history must find. */
const FAULTS: [string, Alterations][] = [
  ['forgets the lost time', { restores: { find: () => async () => [] } }],
];

describe('A shop whose database is restored', () => {
  it.each(Array.from({ length: HISTORIES }, (_, index) => FIRST + index))(
    'charges nobody twice and gives no money to another order: seed %i',
    async (seed) => {
      expect(await new RestoreHistory(seed).run()).toEqual([]);
    },
    180_000,
  );

  it.each(FAULTS)(
    'charges somebody twice when the store %s, which a history finds',
    async (_, fault) => {
      for (let seed = 1; seed <= MOST_FOR_A_FAULT; seed += 1)
        if ((await new RestoreHistory(seed, fault).run()).length > 0) return;
      throw new Error(`no history of ${MOST_FOR_A_FAULT} finds it`);
    },
    600_000,
  );
});
