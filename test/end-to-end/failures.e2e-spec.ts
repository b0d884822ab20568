import { afterEach, beforeEach, expect, it } from '@jest/globals';
import type { KnownFailure } from '@tillkit/payments/types';
import { aRequestFrom, Merchant } from '../support/merchant.js';

const OWN: KnownFailure = {
  texts: ['sending a push request'],
  reason: 'busy',
  retry: 'later',
  message: { en: 'Wait for the agent.', sw: 'Subiri wakala.' },
};

let merchant: Merchant;
beforeEach(async () => {
  merchant = await Merchant.open({ payments: { knownFailures: [OWN] } });
});
afterEach(() => merchant.close());

it('A text that the host knows gives the payment its reason and the customer its message', async () => {
  const { id } = await merchant.payments.request(aRequestFrom('+254700000019'));
  const { reason, errors, payment } = await merchant.received.next('payment.failed');
  expect(reason).toBe('busy');
  expect(merchant.payments.explainFailure(payment)).toEqual({
    reason: 'busy',
    retry: 'later',
    message: OWN.message,
    text: errors.join(' '),
  });
  expect(await merchant.payments.find(id)).toMatchObject({ reason: 'busy', errors });
});

it('A text that the host does not know is explained as we know it, and a payment that has not failed is not explained', async () => {
  await merchant.payments.request(aRequestFrom('+254700000002'));
  const { payment } = await merchant.received.next('payment.failed');
  expect(merchant.payments.explainFailure(payment)).toMatchObject({
    reason: 'cancelled',
    retry: 'at_once',
  });
  const pending = await merchant.payments.request(aRequestFrom('+254700000014'));
  expect(merchant.payments.explainFailure(pending)).toBeNull();
});
