import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import { OnPaymentEvent } from '@tillkit/payments';
import type { Page } from 'playwright-core';
import { deliverSigned, webhookBody } from '../support/deliver.js';
import { aRequest, Merchant } from '../support/merchant.js';
import { TestBrowser } from './browser.fixture.js';

/** Only the treasurer moves money. The browser of each person sends a header, as a gateway would. */
@Injectable()
class Treasury implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, string> }>();
    return headers['x-role'] === 'treasurer';
  }
}

@Injectable()
class Shop {
  isOpen = true;

  @OnPaymentEvent('payment.succeeded', { id: 'Shop.pack' })
  pack(): void {
    if (!this.isOpen) throw new Error('the stock list is locked');
  }
}

const day = (daysLater = 0): string =>
  new Date(Date.now() + daysLater * 86_400_000).toISOString().slice(0, 10);

describe('At the desk', () => {
  const browser = new TestBrowser();
  let merchant: Merchant;
  let url: string;

  beforeEach(async () => {
    merchant = await Merchant.open({
      providers: [Shop],
      payments: { listeners: { retryScheduleMs: [1] } },
      imports: [
        PaymentsDashboardModule.forRoot({
          unguarded: 'anyone may see every payment',
          actionGuards: [Treasury],
          operator: (request: { headers: Record<string, string> }) => request.headers['x-name'],
          timeZone: 'UTC',
        }),
      ],
    });
    url = `${merchant.url}/payments-dashboard`;
  });

  afterEach(() => merchant.close());

  /** Opens the browser of a person who has this name and role. */
  const person = (name: string, role = 'clerk'): Promise<Page> =>
    browser.page({ extraHTTPHeaders: { 'x-name': name, 'x-role': role } });

  async function paid(idempotencyKey: string, value: string, firstName = 'Jane'): Promise<string> {
    const { id } = await merchant.payments.request(
      aRequest({
        idempotencyKey,
        amount: { currency: 'KES', value },
        subscriber: { firstName, lastName: 'Wanjiku', phoneNumber: '+254700000001' },
      }),
    );
    await merchant.payments.settled(id);
    return id;
  }

  const receiptOf = async (id: string): Promise<string> =>
    (await merchant.payments.find(id))!.transaction!.reference!;

  it('a cashier finds a payment by half of its receipt code, and the treasurer refunds it', async () => {
    for (const n of [1, 2, 3]) await paid(`order-${n}`, `${n}00`);
    const id = await paid('order-4', '1250', 'Achieng');
    const receipt = await receiptOf(id);
    const cashier = await person('Kamau');
    await cashier.goto(`${url}/payments`);
    await cashier.keyboard.press('/');
    await cashier.keyboard.type(receipt.slice(-5).toLowerCase());
    await cashier.keyboard.press('Enter');
    await cashier.getByRole('heading', { level: 1, name: 'KES 1,250.00' }).waitFor();
    expect(cashier.url()).toBe(`${url}/payments/${id}`);
    // The cashier may look, and not move money.
    await cashier
      .locator('main')
      .getByRole('link', { name: /^Refund/ })
      .click();
    await cashier.getByText('Forbidden').first().waitFor();

    const treasurer = await person('Otieno', 'treasurer');
    await treasurer.goto(`${url}/payments/${id}`);
    await treasurer
      .locator('main')
      .getByRole('link', { name: /^Refund/ })
      .click();
    await treasurer.getByLabel('Reason').fill('the goods came back');
    await treasurer.getByRole('button', { name: 'Continue' }).click();
    await treasurer.getByText('Achieng').first().waitFor();
    await treasurer.getByRole('button', { name: /^Refund KES 1,250.00/ }).click();
    // The page of the refund says who asked for it.
    await treasurer
      .getByText(/Otieno/)
      .first()
      .waitFor();
    await merchant.received.next('payment.reversed');
    await treasurer.goto(`${url}/payments/${id}`);
    await treasurer.locator('.title').getByText('reversed').waitFor();
    expect(merchant.simulator.transactions().filter(({ reversed }) => reversed)).toHaveLength(1);
  });

  it('a support agent sees why a payment failed, and which listener failed', async () => {
    await merchant.payments.request(
      aRequest({
        idempotencyKey: 'order-7',
        subscriber: { firstName: 'Mary', lastName: 'Atieno', phoneNumber: '+254700000002' },
      }),
    );
    await merchant.received.next('payment.failed');
    const agent = await person('Amina');
    await agent.goto(`${url}/overview`);
    await agent.getByRole('searchbox').fill('ORDER-7');
    await agent.keyboard.press('Enter');
    await agent.getByText('Reason: cancelled on the phone.').waitFor();

    merchant.app.get(Shop).isOpen = false;
    const id = await paid('order-8', '99');
    await agent.goto(`${url}/payments/${id}`);
    await agent.getByText('the stock list is locked').first().waitFor();
    await agent.getByText('Shop.pack').first().waitFor();
  });

  it('an accountant ties the statement of a day to the list of the platform, and finds the one difference', async () => {
    await paid('order-1', '1250');
    await paid('order-2', '99.50');
    const odd = webhookBody({
      reference: 'STRANGE77',
      origination_time: new Date().toISOString(),
    });
    await deliverSigned(merchant.webhookUrl, odd, merchant.simulator.apiKey);
    await merchant.received.next('till.transaction.received');
    const accountant = await person('Njeri');
    await accountant.goto(`${url}/statement`);
    await accountant
      .getByText(`Statement of ${day(-1)}`)
      .first()
      .waitFor();
    await accountant.getByRole('link', { name: 'Day after' }).click();
    await accountant.getByText(`Statement of ${day()}`).first().waitFor();
    const closing = accountant.getByRole('row', { name: /^Closing/ });
    const before = await closing.textContent();
    await accountant.getByRole('button', { name: 'Compare with the platform' }).click();
    await accountant.getByText('One transaction differs.').waitFor();
    await accountant.getByText('STRANGE77').first().waitFor();
    expect(await closing.textContent()).toBe(before);
    const [download] = await Promise.all([
      accountant.waitForEvent('download'),
      accountant.getByRole('link', { name: 'Download CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe(`statement-${day()}.csv`);
  });

  it('an operator keeps a filter by name, walks the rows with the keyboard and opens one', async () => {
    const ids = [
      await paid('order-1', '100'),
      await paid('order-2', '200'),
      await paid('order-3', '300'),
    ];
    const operator = await person('Kamau');
    await operator.goto(`${url}/payments`);
    await operator.getByText('More filters').click();
    await operator.getByLabel('Amount from').fill('150');
    await operator.getByRole('button', { name: 'Apply' }).click();
    await operator.getByText('Amount from: 150').waitFor();
    await operator.getByText('Save this view').click();
    await operator.getByLabel('Name of the view').fill('Large ones');
    await operator.keyboard.press('Enter');
    await operator.getByRole('link', { name: 'Large ones' }).waitFor();
    await operator.goto(`${url}/payments`);
    await operator.getByRole('link', { name: 'Large ones' }).click();
    // The keys work once the page has loaded.
    await operator.waitForURL(/amountFrom=150/);
    expect(await operator.getByRole('row').count()).toBe(3);
    await operator.keyboard.press('j');
    await operator.keyboard.press('j');
    await operator.keyboard.press('k');
    await operator.keyboard.press('j');
    await operator.keyboard.press('Enter');
    await operator.getByRole('heading', { level: 1, name: 'KES 200.00' }).waitFor();
    await operator.goBack();
    // The whole row is the link.
    const name = operator.getByRole('row').nth(1).getByText('Jane Wanjiku');
    const { x, y } = (await name.boundingBox())!;
    await operator.mouse.click(x + 2, y + 2);
    await operator.waitForURL(`${url}/payments/${ids[2]}`);
  });

  it('an operator selects the text of a row without opening it, and opens the row in another tab', async () => {
    const id = await paid('order-1', '100');
    const operator = await person('Kamau');
    await operator.goto(`${url}/payments`);
    const name = operator.getByRole('row').nth(1).getByText('Jane Wanjiku');
    const { x, y, width, height } = (await name.boundingBox())!;
    await operator.mouse.move(x + 1, y + height / 2);
    await operator.mouse.down();
    await operator.mouse.move(x + width - 1, y + height / 2, { steps: 5 });
    await operator.mouse.up();
    expect(await operator.evaluate('String(getSelection())')).toContain('Jane');
    expect(operator.url()).toBe(`${url}/payments`);
    const opened = operator.context().waitForEvent('page');
    await operator.mouse.click(x + 2, y + 2, { button: 'middle' });
    await (await opened).waitForURL(`${url}/payments/${id}`);
    expect(operator.url()).toBe(`${url}/payments`);
  });

  it('a double click on a slow line writes one note', async () => {
    const id = await paid('order-1', '100');
    const treasurer = await person('Otieno', 'treasurer');
    await treasurer.goto(`${url}/payments/${id}`);
    let posts = 0;
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await treasurer.route('**/note', async (route) => {
      posts += 1;
      await released;
      await route.continue();
    });
    await treasurer.getByLabel('Note').fill('called the customer');
    const { x, y } = (await treasurer.locator('form.note button').boundingBox())!;
    for (let clicks = 0; clicks < 2; clicks += 1) await treasurer.mouse.click(x + 5, y + 5);
    release();
    await treasurer.getByText('called the customer').waitFor();
    expect(posts).toBe(1);
    const history = await merchant.payments.history(id);
    expect(history.filter(({ detail }) => detail.includes('called the customer'))).toHaveLength(1);
  });

  it('an operator whose browser stores nothing, or something else, has all shortcuts', async () => {
    await paid('order-1', '100');
    const operator = await person('Kamau');
    await operator.goto(`${url}/payments?amountFrom=1`);
    for (const stored of ['{}', 'null', '[null, 7]', '"x"', 'no JSON']) {
      const key = 'tillkit-views default payments';
      await operator.evaluate(
        `localStorage.setItem(${JSON.stringify(key)}, ${JSON.stringify(stored)})`,
      );
      await operator.reload();
      await operator.getByText('Save this view').waitFor();
    }
    await operator.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage'])
        Object.defineProperty(globalThis, name, {
          get() {
            throw new DOMException('blocked', 'SecurityError');
          },
        });
    });
    await operator.reload();
    await operator.keyboard.press('j');
    await operator.keyboard.press('Enter');
    await operator.getByRole('heading', { level: 1, name: 'KES 100.00' }).waitFor();
  });
});
