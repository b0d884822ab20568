import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { WebhookSubscriptionsService } from '@tillkit/payments';
import { aRequestFrom, Merchant } from '../support/merchant.js';
import { until } from '../support/until.js';

const PAYER = '+254700000060';

describe('The money of a customer who cancels the prompt and pays the till directly', () => {
  let merchant: Merchant;

  beforeEach(async () => {
    merchant = await Merchant.open({
      speed: 5,
      payments: { reconciliation: { scheduleMs: [60_000] } },
    });
    await merchant.app.get(WebhookSubscriptionsService).create({
      eventType: 'buygoods_transaction_received',
      scope: 'till',
      scopeReference: '514459',
    });
  });
  afterEach(() => merchant.close());

  it('is named by its reference in the event of the failure', async () => {
    merchant.simulator.scenario(PAYER, 'handset');
    const { id } = await merchant.payments.request(aRequestFrom(PAYER));
    await until(() => merchant.simulator.handset(PAYER).prompts().length > 0);
    const pay = (amount: number) =>
      merchant.simulator.payTill({ tillNumber: '514459', phoneNumber: PAYER, amount });
    const { reference } = await pay(100);
    await pay(99);
    await until(
      async () => (await merchant.store.transactions.find('default', reference)) !== null,
    );
    merchant.simulator.handset(PAYER).cancel();
    const failed = await merchant.received.next('payment.failed');
    expect(failed).toMatchObject({
      payment: { id },
      unownedReferences: [reference],
    });
  });
});
