import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { transactionChange } from '../../../../test/contracts/store-under-test.js';
import { MemoryStore } from '../store/memory/memory.store.js';
import {
  aLedger,
  aPendingPayment,
  applied,
  aSuccess,
  keyOf,
  type LedgerUnderTest,
} from '../testing/ledger.fixture.js';

describe('a part that waits for a change of an operation and fails', () => {
  let under: LedgerUnderTest;
  let key: ReturnType<typeof keyOf>;
  let lines: string[];

  beforeEach(async () => {
    lines = [];
    const ignore = (): void => undefined;
    Logger.overrideLogger({
      log: ignore,
      warn: ignore,
      error: (line: unknown) => lines.push(String(line)),
    });
    under = aLedger(new MemoryStore());
    key = keyOf((await aPendingPayment(under, 'x')).id);
    under.records.afterChange(key, () => {
      throw new Error('nobody at +254700000001');
    });
  });

  afterEach(() => void Logger.overrideLogger(false));

  it('does not fail the commit, and is logged once without phone numbers', async () => {
    const payment = await applied(under, key, aSuccess('x'), 'callback');
    expect(payment).toMatchObject({ state: 'succeeded' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('nobody at');
    expect(lines[0]).not.toContain('254700000001');
  });

  it('does not keep the change from others that wait', async () => {
    let changes = 0;
    under.records.afterChange(key, () => (changes += 1));
    await applied(under, key, aSuccess('x'), 'callback');
    expect(changes).toBe(1);
  });
});

describe('the record of a transaction that another process has created', () => {
  it('keeps the time of its creation when this process changes it', () => {
    const { records } = aLedger(new MemoryStore());
    const createdAt = new Date('2026-01-20T22:45:12Z');
    const change = transactionChange('default', 'R', 3);
    records.learn({ ...change, transaction: { ...change.transaction!, createdAt } }, new Date());
    expect(records.transaction('default', 'R')).toMatchObject({ version: 4, createdAt });
  });
});
