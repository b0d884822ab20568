import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { BARE_RESULTS } from '../inbox/bare-results.service.js';
import { readEnvelope } from '../platform/wire-value.js';
import { MemoryStore } from '../memory/memory.store.js';
import {
  aLedger,
  aPendingLink,
  anObservedTransaction,
  anUnknownPayment,
  aTransaction,
  resourcesWith,
  type LedgerUnderTest,
} from '../testing/ledger.fixture.js';
import { MovedRuntime } from '../testing/moved.runtime.js';
import { matcherOf } from '../testing/operation-parts.fixture.js';
import type { PaymentRecord } from './payments/payment.js';
import type { PaymentMatcher } from '../tills/payment-matcher.js';

Logger.overrideLogger(false);

const MINUTE = 60_000;

describe('among payment links and bare requests,', () => {
  let runtime: MovedRuntime;
  let store: MemoryStore;
  let under: LedgerUnderTest;
  let matcher: PaymentMatcher;

  beforeEach(() => {
    runtime = new MovedRuntime();
    store = new MemoryStore(() => runtime.now());
    under = aLedger(store, {}, runtime, resourcesWith({}));
    matcher = matcherOf(under);
  });
  afterEach(() => under.shutdown.close());

  /** Matches a payment with the lists of all tills and of all time. */
  const match = async (payment: PaymentRecord): Promise<PaymentRecord> => {
    const all = { from: new Date(0), to: new Date(runtime.now()), till: null, unread: [] };
    await matcher.match(payment, { account: 'default', ...all });
    return under.ledger.find(payment);
  };

  const received = () =>
    under.tills.observe(
      anObservedTransaction(
        aTransaction({ originationTime: new Date(runtime.now()).toISOString() }),
        {
          via: 'sweep',
        },
      ),
    );

  it('the money of a bare payment link does not become that of a payment', async () => {
    const payment = await anUnknownPayment(under);
    runtime.advance(MINUTE);
    const attributes = {
      status: 'Processed',
      till_number: '514459',
      currency: 'KES',
      amount: '100.0',
      payment_link: {
        status: 'Paid',
        link: 'https://pay.example/links/1',
        transaction_reference: 'ONE',
        sender_phone_number: '+254700000001',
        origination_time: new Date(runtime.now()).toISOString(),
      },
    };
    const envelope = readEnvelope({ data: { id: 'bare-link', type: 'payment_link', attributes } })!;
    const results = BARE_RESULTS.find(({ types }) => types.includes('payment_link'))!;
    const result = results.read(envelope);
    expect(result.isFinal).toBe(true);
    // CallbackResultsService does the same with the signed callback of the bare link.
    await under.bareResults.commit(result.event('default'), 'bare-1', result.transaction);
    await received();
    runtime.advance(20 * MINUTE);
    expect(await match(payment)).not.toMatchObject({ state: 'succeeded' });
  });

  it('links that nobody has paid by a later read do not hide another payment that the transaction may belong to', async () => {
    for (let n = 0; n < 100; n += 1) await aPendingLink(under, n);
    runtime.advance(MINUTE);
    // The same person was asked twice, and paid once.
    const first = await anUnknownPayment(under);
    await anUnknownPayment(under);
    runtime.advance(MINUTE);
    await received();
    runtime.advance(30 * MINUTE);
    // The hourly reads of the links: nobody has paid them.
    const attributes = {
      status: 'Processed',
      till_number: '514459',
      currency: 'KES',
      amount: '100.0',
      payment_link: { payment_link_status: 'Active', link: 'https://pay.example/links/1' },
    };
    for (let n = 0; n < 100; n += 1) {
      const link = await under.ledger.find({ account: 'default', id: `link-${n}` });
      const data = { id: `pl-${n}`, type: 'payment_link', attributes };
      await under.evidence.apply(
        link,
        under.kinds.kind(link).show(readEnvelope({ data })!),
        'status',
      );
    }
    expect(await match(first)).toMatchObject({
      state: 'needs_review',
      cause: 'ambiguous',
    });
  });

  it('a settlement transfer is not completed before all of its amount is', () => {
    const results = BARE_RESULTS.find(({ types }) => types.includes('settlement_transfer'))!;
    const read = (parts: string[]) =>
      results.read(
        readEnvelope({
          data: {
            id: 'transfer',
            type: 'settlement_transfer',
            attributes: {
              status: 'Processed',
              amount: { currency: 'KES', value: '1000.0' },
              transfer_batches: parts.map((amount) => ({
                status: 'Transferred',
                disbursements: [{ status: 'Transferred', amount }],
              })),
            },
          },
        })!,
      );
    expect(read(['400', '600']).isFinal).toBe(true);
    // The second batch is made later. The event is emitted once, so no listener would get its outcome.
    expect(read(['400']).isFinal).toBe(false);
  });
});
