import { describe, expect, it } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { asked, MoneyOut } from '../testing/money-out.fixture.js';
import { aDisbursement } from '../testing/payouts.fixture.js';

Logger.overrideLogger(false);

describe('The cause of a review', () => {
  it('is limited in length, however long the error text of the platform is', async () => {
    const money = new MoneyOut();
    const { id } = await money.payouts.request(asked('one'));
    const errors = 'x'.repeat(900_000);
    const payout = await money.shows(id, [aDisbursement('Transferred', { errors })]);
    expect(payout).toMatchObject({ state: 'needs_review' });
    expect(payout?.causeDetail?.length).toBeLessThanOrEqual(2_000);
    money.close();
  });
});
