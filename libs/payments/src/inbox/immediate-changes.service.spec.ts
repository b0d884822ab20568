import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { LedgerChange } from '../store/ledger.store.js';
import type { NewDelivery } from '../store/new-delivery.js';
import type { PaymentRecord } from '../operations/payments/payment.js';
import { MemoryStore } from '../store/memory/memory.store.js';
import { aDelivery, aWebhook, callbackUrlOf, deliveriesOf } from '../testing/deliveries.fixture.js';
import {
  aLedger,
  aPendingPayment,
  applied,
  aSuccess,
  aTransaction,
  keyOf,
  type LedgerUnderTest,
} from '../testing/ledger.fixture.js';
import { SkippingRuntime } from '../testing/skipping.runtime.js';
import { parseDelivery, type Message } from './delivery-parser.js';
import type { ImmediateChangesService } from './immediate-changes.service.js';

describe('the immediate change of a delivery', () => {
  let under: LedgerUnderTest;
  let immediateChanges: ImmediateChangesService;
  let payment: PaymentRecord;
  let webhook: NewDelivery;
  let message: Message;
  let lines: string[];

  beforeEach(async () => {
    lines = [];
    const ignore = (): void => undefined;
    const keep = (line: unknown): unknown => lines.push(String(line));
    Logger.overrideLogger({ log: ignore, warn: keep, error: keep });
    const runtime = new SkippingRuntime();
    under = aLedger(new MemoryStore(() => runtime.now()), {}, runtime);
    ({ immediateChanges } = deliveriesOf(under, runtime));
    payment = await aPendingPayment(under, 'x');
    webhook = aWebhook(aTransaction());
    message = parseDelivery(webhook.body, {});
  });

  afterEach(() => void Logger.overrideLogger(false));

  it('is found after the commit of the payment that is under way', async () => {
    expect(await immediateChanges.changeOf(webhook, message)).toBeUndefined();
    const result = applied(under, keyOf(payment.id), aSuccess('x'), 'callback');
    while (!under.records.changingOperation('default', payment.id)) await Promise.resolve();
    expect(await immediateChanges.changeOf(webhook, message)).toMatchObject({
      change: { transaction: { reference: 'ONE' } },
    });
    await result;
  });

  it('is found when the result of the payment comes while the webhook waits', async () => {
    const change = immediateChanges.changeOf(webhook, message, 60_000);
    await applied(under, keyOf(payment.id), aSuccess('x'), 'callback');
    expect(await change).toMatchObject({ change: { transaction: { reference: 'ONE' } } });
  });

  it('is missing when the result of the payment does not come in time', async () => {
    expect(await immediateChanges.changeOf(webhook, message, 50)).toBeUndefined();
  });

  it('is missing when the commit under way does not end soon, because another transaction may hold the row', async () => {
    const change = { account: 'default', operation: { id: payment.id } } as LedgerChange;
    under.records.during(change, new Promise(() => undefined));
    expect(await immediateChanges.changeOf(webhook, message)).toBeUndefined();
  });

  it('is found by one read of the operation when the delivery is a result and another process has sent the operation', async () => {
    const forgotten = { account: 'default', operation: { id: payment.id } } as LedgerChange;
    const find = jest.spyOn(under.store.operations, 'find');
    const attributes = {
      status: 'Success',
      event: {
        type: 'Incoming Payment Request',
        resource: {
          reference: 'ONE',
          status: 'Received',
          amount: '100.0',
          currency: 'KES',
          till_number: '514459',
          origination_time: '2026-01-31T08:00:00+03:00',
        },
        errors: null,
      },
      _links: { callback_url: callbackUrlOf(payment.id), self: null },
    };
    const result = aDelivery({ data: { id: 'x', type: 'incoming_payment', attributes } });
    under.records.forget(forgotten);
    for (let times = 0; times < 2; times += 1) {
      expect(await immediateChanges.changeOf(result, parseDelivery(result.body, {}))).toMatchObject(
        {
          change: { operation: { id: payment.id, set: { state: 'succeeded' } } },
        },
      );
    }
    expect(find).toHaveBeenCalledTimes(1);
  });

  it('is missing when the read of the operation hangs, because the delivery must be stored', async () => {
    under.records.forget({ account: 'default', operation: { id: payment.id } } as LedgerChange);
    jest.spyOn(under.store.operations, 'find').mockReturnValue(new Promise(() => undefined));
    const attributes = { status: 'Failed', _links: { callback_url: callbackUrlOf(payment.id) } };
    const result = aDelivery({ data: { id: 'x', type: 'incoming_payment', attributes } });
    expect(await immediateChanges.changeOf(result, parseDelivery(result.body, {}))).toBeUndefined();
  });

  it('is missing when no operation has the callback URL that the result repeats', async () => {
    const attributes = { status: 'Failed', _links: { callback_url: callbackUrlOf('nobody') } };
    const result = aDelivery({ data: { id: 'y', type: 'incoming_payment', attributes } });
    expect(await immediateChanges.changeOf(result, parseDelivery(result.body, {}))).toBeUndefined();
    expect(lines).toEqual([]);
  });

  it('is missing when the platform must confirm the webhook first', async () => {
    const unsigned = { ...webhook, verifiedBy: 'url' } as const;
    await applied(under, keyOf(payment.id), aSuccess('x'), 'callback');
    expect(await immediateChanges.changeOf(unsigned, message)).toBeUndefined();
  });

  it('is missing after four commits, so that the answer is not too late', async () => {
    const change = { account: 'default', operation: { id: payment.id } } as LedgerChange;
    let left = 1_000;
    const commit = async (): Promise<void> => {
      await Promise.resolve();
      left -= 1;
      if (left > 0) begin();
    };
    const begin = (): void => under.records.during(change, commit());
    begin();
    const asked = jest.spyOn(under.records, 'changingOperation');
    expect(await immediateChanges.changeOf(webhook, message)).toBeUndefined();
    expect(asked).toHaveBeenCalledTimes(4);
  });

  it('is missing when judging the webhook throws an error, which is logged once', async () => {
    // It stands for any fault: no record of this version has such tills.
    const some = (): never => {
      throw new Error('nobody at +254700000001');
    };
    under.records.keep({ ...payment, tills: { some } as never });
    expect(await immediateChanges.changeOf(webhook, message)).toBeUndefined();
    expect(await immediateChanges.changeOf(webhook, message, 50)).toBeUndefined();
    expect(lines).toEqual([
      expect.stringMatching(
        new RegExp(`^a webhook could not be applied.* account=default deliveryId=${webhook.id}\n`),
      ),
    ]);
    expect(lines[0]).not.toContain('254700000001');
  });
});
