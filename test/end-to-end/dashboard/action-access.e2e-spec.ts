import {
  ForbiddenException,
  Injectable,
  Module,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { EventsService, PaymentsAccounts } from '@tillkit/payments';
import {
  nameOfRoute,
  routesOfDashboard,
  type DashboardRoute,
} from '../../support/dashboard.routes.js';
import { deliverSigned, resultBody, webhookBody } from '../../support/deliver.js';
import { aPayout, aRequestFrom, aWallet } from '../../support/merchant.js';
import { PLATFORMS } from '../../support/platforms.js';
import { DashboardHost, PERSON, PHONE, Unwilling } from './dashboard.fixture.js';

/** Forms that only read: they are posted so that no address contains what they send. Every other form is an action. */
const READING_FORMS = [
  'POST /anomalies.csv',
  'POST /anomalies/search',
  'POST /dead-letters.csv',
  'POST /dead-letters/search',
  'POST /deliveries.csv',
  'POST /deliveries/:id/body',
  'POST /deliveries/search',
  'POST /find',
  'POST /payment-links.csv',
  'POST /payment-links/search',
  'POST /payments.csv',
  'POST /payments/:id/phone',
  'POST /payments/search',
  'POST /payouts.csv',
  'POST /payouts/:id/phones',
  'POST /payouts/search',
  'POST /reconciliation',
  'POST /refunds.csv',
  'POST /refunds/search',
  'POST /statement',
  'POST /transaction/phone',
  'POST /transactions.csv',
  'POST /transactions/search',
];

/** Decides who may move money, by a header of the request. */
@Injectable()
class Treasury {
  async admits(name: string | undefined): Promise<boolean> {
    await new Promise((resolve) => setTimeout(resolve, 1));
    return name === 'jane';
  }
}

@Module({ providers: [Treasury], exports: [Treasury] })
class TreasuryModule {}

/** An asynchronous guard that injects what it needs. */
@Injectable()
class MayMoveMoneyGuard implements CanActivate {
  constructor(private readonly treasury: Treasury) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { headers } = context
      .switchToHttp()
      .getRequest<{ headers: Record<string, string | undefined> }>();
    if (await this.treasury.admits(headers['authorization'])) return true;
    throw new ForbiddenException('you may not move money');
  }
}

const GUARDED = {
  imports: [TreasuryModule],
  actionGuards: [MayMoveMoneyGuard],
  unguardedActions: undefined,
};
const READ_ONLY = { unguardedActions: undefined };

describe.each(PLATFORMS)('Actions of the dashboard on $platform', (platform) => {
  const host = new DashboardHost(platform);
  /** Ids of what each route could act on, and fields that its form accepts. */
  let ids: string[];
  let fields: Record<string, string>;

  const prepare = async (dashboard: Parameters<DashboardHost['open']>[1]): Promise<void> => {
    await host.open(
      {
        providers: [Unwilling],
        payments: {
          listeners: { retryScheduleMs: [1] },
          payouts: { limits: { KES: { approveFrom: '500' } } },
          reconciliation: false,
        },
        simulator: { openingBalances: { '514459': 10_000 } },
      },
      dashboard,
    );
    const { merchant } = host;
    const { payments, payouts, links, simulator, webhookUrl, received } = merchant;
    const paid = await host.paid();
    const { id: reviewed, platformId } = await payments.request(aRequestFrom(PERSON));
    const url = webhookUrl.replace('webhooks', `callbacks/incoming-payments/${reviewed}`);
    const less = { reference: 'ANOTHER', amount: '99.0', sender_phone_number: PERSON };
    await deliverSigned(url, resultBody(platformId!, url, {}, less), simulator.apiKey);
    await received.next('payment.needs_review');
    const held = await payouts.request(
      aPayout({ destinations: [aWallet(PHONE, '600')], requestedBy: 'joe' }),
    );
    const link = await links.request({
      idempotencyKey: 'link',
      amount: { currency: 'KES', value: '100.00' },
    });
    await deliverSigned(webhookUrl, webhookBody({}, { topic: 'tomorrow' }), simulator.apiKey);
    await received.next('delivery.unrecognised');
    const { items } = await merchant.store.deliveries.list('default', {}, { limit: 50 });
    const deadLetters = () => merchant.app.get(EventsService).deadLetters();
    while ((await deadLetters()).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 10));
    await simulator.idle();
    ids = [paid, reviewed, held.id, link.id, ...items.map(({ id }) => id)];
    fields = {
      // These are fields of a review, a note, a pause and a replay.
      state: 'failed',
      note: 'a reason',
      what: 'pause',
      which: 'all',
      // These are fields of a refund, a payout and a link.
      key: 'dashboard-00000000-0000-4000-8000-000000000000',
      payment: paid,
      why: 'a reason',
      currency: 'KES',
      amount: '10',
      'd0.type': 'mobile_wallet',
      'd0.phoneNumber': PHONE,
      'd0.network': 'Safaricom',
      'd0.amount': '10',
      'd0.description': 'a reason',
    };
  };

  /** Returns everything that an action could change, here and at the platform. */
  const state = async (): Promise<unknown> => {
    const { store, simulator, app } = host.merchant;
    const { items } = await store.operations.list('default', {}, { limit: 100 });
    const operations = items.map(
      ({ ageMs: _, unchangedMs: __, sendWithinMs: ___, ...rest }) => rest,
    );
    const histories = await Promise.all(
      items.map(({ id }) => store.operations.history('default', id)),
    );
    const deliveries = await store.deliveries.list('default', {}, { limit: 100 });
    return {
      operations,
      histories,
      deliveries: deliveries.items.map(({ id, state: is, attempts }) => ({ id, is, attempts })),
      letters: await app.get(EventsService).deadLetters(),
      pauses: await app.get(PaymentsAccounts).pauseHistory('default', 10),
      asked: simulator.journal.entries(0).filter(({ type }) => type === 'request').length,
      balance: simulator.balance('till:514459'),
      refunds: simulator.refunds().length,
      payouts: simulator.payouts().length,
    };
  };

  /** Returns the requests that use a route on everything that there is. */
  const pathsOf = ({ path }: DashboardRoute): string[] =>
    path.includes(':id') ? ids.map((id) => path.replace(':id', id)) : [path];

  /** Returns the statuses of requests to all these routes. */
  const statuses = async (
    routes: readonly DashboardRoute[],
    headers: Record<string, string>,
  ): Promise<number[]> => {
    const answers: number[] = [];
    for (const route of routes) {
      for (const path of pathsOf(route)) {
        const { status } = await (route.method === 'GET'
          ? host.dashboard.get(`${path}?payment=${ids[0]}`, { headers })
          : host.dashboard.postFrom(headers, path, fields));
        answers.push(status);
      }
    }
    return answers;
  };

  let reading: string[];
  let actions: DashboardRoute[];

  beforeAll(async () => {
    await host.open({ payments: { reconciliation: false } }, READ_ONLY);
    reading = routesOfDashboard(host.merchant.app).map(nameOfRoute);
    await host.merchant.close();
    await host.open({ payments: { reconciliation: false } }, GUARDED);
    actions = routesOfDashboard(host.merchant.app).filter(
      (route) => !reading.includes(nameOfRoute(route)),
    );
    await host.merchant.close();
  });

  it('are all routes that do not exist without action guards, and all other forms only read', async () => {
    await prepare(READ_ONLY);
    const forms = reading.filter((name) => name.startsWith('POST'));
    expect(forms.toSorted()).toEqual(READING_FORMS);
    expect(actions.length).toBeGreaterThan(5);
  });

  it('do not exist without action guards, whatever is sent', async () => {
    await prepare(READ_ONLY);
    const before = await state();
    const answers = await statuses(actions, { 'sec-fetch-site': 'same-origin' });
    expect(new Set(answers)).toEqual(new Set([404]));
    expect(await state()).toEqual(before);
  });

  it('are refused by an action guard that injects what it needs', async () => {
    await prepare(GUARDED);
    const before = await state();
    const answers = await statuses(actions, { 'sec-fetch-site': 'same-origin' });
    expect(new Set(answers)).toEqual(new Set([403]));
    expect(await state()).toEqual(before);
    for (const id of ids.slice(0, 2))
      expect((await host.dashboard.get(`/payments/${id}`)).status).toBe(200);
  });

  it('are refused when another site sends the forms, also from an operator whom the guard admits', async () => {
    await prepare(GUARDED);
    const before = await state();
    const forms = actions.filter(({ method }) => method === 'POST');
    for (const site of ['cross-site', 'same-site', 'none']) {
      const answers = await statuses(forms, { authorization: 'jane', 'sec-fetch-site': site });
      expect(new Set(answers)).toEqual(new Set([403]));
    }
    expect(await state()).toEqual(before);
  });

  it('need the guards of the pages as well', async () => {
    await prepare({ ...GUARDED, unguarded: undefined, guards: [{ canActivate: () => false }] });
    const before = await state();
    const admitted = { authorization: 'jane', 'sec-fetch-site': 'same-origin' };
    expect(new Set(await statuses(actions, admitted))).toEqual(new Set([403]));
    expect(await state()).toEqual(before);
  });

  it('are accepted from an operator whom the guard admits', async () => {
    await prepare(GUARDED);
    const before = await state();
    const admitted = { authorization: 'jane', 'sec-fetch-site': 'same-origin' };
    const answers = await statuses(actions, admitted);
    expect(answers).not.toContain(500);
    expect(answers).not.toContain(403);
    expect(answers).toContain(303);
    expect(await state()).not.toEqual(before);
  });

  it('are not offered by pages without action guards, which say how to allow them', async () => {
    await prepare(READ_ONLY);
    const [paid, reviewed, , , delivery] = ids;
    for (const path of [
      `/payments/${paid}`,
      `/payments/${reviewed}`,
      `/deliveries/${delivery}`,
      '/deliveries',
      '/dead-letters',
      '/sending',
      '/overview',
    ]) {
      const { text, status } = await host.dashboard.get(path);
      expect(status).toBe(200);
      const forms = [...text.matchAll(/(?:action|href)="([^"]*)"/g)].map(([, to]) => to as string);
      const offered = forms.filter((to) =>
        /\/(note|status|review|replay|approve|cancel|new)$|sending" method|refunds\/new/.test(to),
      );
      expect({ path, offered }).toEqual({ path, offered: [] });
      if (/dead-letters|sending/.test(path) || path.endsWith(reviewed!))
        expect(text).toContain('actionGuards');
    }
    expect((await host.dashboard.get('/sending')).text).not.toContain('name="what"');
  });
});
