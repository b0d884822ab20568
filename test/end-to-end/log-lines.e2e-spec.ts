import {
  ForbiddenException,
  Injectable,
  Logger,
  type CanActivate,
  type Provider,
} from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { afterEach, describe, expect, it } from '@jest/globals';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import { MemoryStore, OnPaymentEvent } from '@tillkit/payments';
import { StoreUnavailableError, type PaymentsStore } from '@tillkit/payments/internal/store';
import { altered } from '../support/altered.store.js';
import { deliver, deliverSigned, webhookBody } from '../support/deliver.js';
import { Merchant } from '../support/merchant.js';
import { PLATFORMS } from '../support/platforms.js';
import { until } from '../support/until.js';

const KEY = 'an-api-key';

@Injectable()
class RefusingGuard implements CanActivate {
  canActivate(): boolean {
    throw new ForbiddenException();
  }
}
/** As while the database of the host is away. */
@Injectable()
class Failing {
  @OnPaymentEvent('till.transaction.received')
  received(): void {
    throw new Error('away');
  }
}
const REFUSING: Provider = { provide: APP_GUARD, useClass: RefusingGuard };

describe.each(PLATFORMS)('The log of an application on $platform', (platform) => {
  let merchant: Merchant;
  const lines: string[] = [];
  let openedAt: number;

  const open = async (store: PaymentsStore, providers: Provider[] = []): Promise<void> => {
    merchant = await Merchant.open({
      platform,
      payments: { apiKeys: [KEY], store },
      providers,
      imports: [PaymentsDashboardModule.forRoot({ unguarded: 'anyone may see every payment' })],
    });
    openedAt = performance.now();
    const keep = (line: unknown): number => lines.push(String(line));
    Logger.overrideLogger({ log: () => undefined, warn: keep, error: keep });
  };
  const away = (): never => {
    throw new StoreUnavailableError('it is away');
  };

  /** Sends forty requests of one kind, and resolves with the different answers. */
  const forty = async (send: () => Promise<{ status: number }>): Promise<number[]> => {
    const statuses = new Set<number>();
    for (let n = 0; n < 40; n += 1) statuses.add((await send()).status);
    return [...statuses];
  };

  /** A slow machine needs more than ten seconds: then another line says how many were left out. */
  const expectOneLine = (pattern: RegExp): void => {
    expect(lines.filter((line) => !/\(and \d+ more like it/.test(line))).toEqual([
      expect.stringMatching(pattern),
    ]);
    const most = 1 + Math.floor((performance.now() - openedAt) / 10_000);
    expect(lines.length).toBeLessThanOrEqual(most);
  };

  afterEach(async () => {
    await merchant.close();
    Logger.overrideLogger(false);
    lines.length = 0;
  });

  it('has one line for many deliveries that a guard of the host refuses', async () => {
    await open(new MemoryStore(), [REFUSING]);
    expect(await forty(() => deliverSigned(merchant.webhookUrl, webhookBody(), KEY))).toEqual([
      403,
    ]);
    expectOneLine(/^a guard of this application answered 403/);
  });

  it('has one line for many deliveries that cannot be stored', async () => {
    await open(altered(new MemoryStore(), { deliveries: { store: () => away } }));
    expect(await forty(() => deliverSigned(merchant.webhookUrl, webhookBody(), KEY))).toEqual([
      503,
    ]);
    expectOneLine(/^a delivery could not be stored/);
  });

  it('has one line for many signed deliveries that nobody understands', async () => {
    await open(new MemoryStore());
    let topics = 0;
    const post = () =>
      deliverSigned(
        merchant.webhookUrl,
        JSON.stringify({ topic: `unknown_${(topics += 1)}`, id: `w${topics}`, event: {} }),
        KEY,
      );
    expect(await forty(post)).toEqual([200]);
    await merchant.received.next('delivery.unrecognised');
    expectOneLine(/^a webhook is stored but was not understood/);
  });

  it('has one line for many pages that the store cannot answer', async () => {
    await open(altered(new MemoryStore(), { operations: { list: () => away } }));
    expect(await forty(() => fetch(`${merchant.url}/payments-dashboard/payments`))).toEqual([503]);
    expectOneLine(/^the store is unavailable/);
  });

  it('has one line for each way in which a request goes past our routes, and never its URL', async () => {
    await open(new MemoryStore());
    const wrong = [
      ['POST', '/payment/webhooks'],
      ['POST', '/payments/webhook/a-secret-mac'],
      ['POST', '/api/payments//callbacks/incoming_payments/1'],
      ['GET', '/payments/webhooks'],
      ['GET', '/payments/callbacks/incoming_payments/1/a-secret-mac'],
      ['POST', '/orders'],
      ['GET', '/orders/webhooked'],
    ];
    for (const [method, path] of wrong)
      expect(await fetch(`${merchant.url}${path}`, { method: method! })).toMatchObject({
        status: 404,
      });
    await until(() => lines.length >= 2);
    expect(lines).toEqual([
      expect.stringMatching(/^a POST near the payments routes .*404: .*\/payments\/webhooks$/),
      expect.stringMatching(/^a GET near the payments routes .*a redirect .* turned the POST/),
    ]);
    expect(lines.join('\n')).not.toContain('a-secret-mac');
  });

  it('has no line of a request that one of our routes refuses beside that of the refusal', async () => {
    await open(new MemoryStore());
    await deliver(`${merchant.url}/payments/callbacks/unknown/1`, '{}');
    await until(() => lines.length > 0);
    expect(lines).toEqual([expect.stringMatching(/^a delivery was refused: its URL is none/)]);
  });

  it('has one line for many events that a listener of the host cannot handle', async () => {
    await open(new MemoryStore(), [Failing]);
    expect(await forty(() => deliverSigned(merchant.webhookUrl, webhookBody(), KEY))).toEqual([
      200,
    ]);
    await until(() => merchant.received.named('till.transaction.received').length === 40);
    expectOneLine(/^listener Failing\.received .* failed/);
  });

  it('has no line of a delivery whose URL ends with a slash: it is accepted', async () => {
    await open(new MemoryStore());
    expect(await deliverSigned(`${merchant.webhookUrl}/`, webhookBody(), KEY)).toMatchObject({
      status: 200,
    });
    await merchant.received.next('till.transaction.received');
    expect(lines).toEqual([]);
  });
});
