import {
  Injectable,
  UnauthorizedException,
  type CanActivate,
  type NestInterceptor,
} from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import { MemoryStore } from '@tillkit/payments';
import { map, timeout } from 'rxjs';
import { anEvent, commitEvents } from '../../contracts/store-under-test.js';
import { Merchant } from '../../support/merchant.js';
import { PLATFORMS } from '../../support/platforms.js';
import { until } from '../../support/until.js';
import { LiveHost } from './live.fixture.js';

@Injectable()
class KeyGuard implements CanActivate {
  canActivate(context: Parameters<CanActivate['canActivate']>[0]): boolean {
    const { headers } = context
      .switchToHttp()
      .getRequest<{ headers: Record<string, string | undefined> }>();
    if (headers['authorization'] !== 'jane') throw new UnauthorizedException('sign in first');
    return true;
  }
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.each(PLATFORMS)('A live page on $platform', (platform) => {
  const host = new LiveHost(platform);

  it('gets a message about a change, with the payment that changed', async () => {
    await host.watched();
    const page = await host.viewer();
    expect(page.response.statusCode).toBe(200);
    expect(page.response.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-content-type-options': 'nosniff',
    });
    await until(() => page.messages.length === 1);
    const id = await host.paid();
    await until(() => page.changes.some(({ about }) => about?.includes(id) === true));
    const versions = page.messages.map(({ version }) => version);
    expect(new Set(versions).size).toBe(versions.length);
  });

  it('ends when the application closes, which does not wait for it', async () => {
    await host.watched();
    const pages = [await host.viewer(), await host.viewer()];
    await until(() => pages.every(({ messages }) => messages.length > 0));
    // If streams were not ended, this would wait for ever, and the test with it.
    await host.merchant.close();
    await until(() => pages.every(({ isEnded }) => isEnded));
    await host.open();
  });

  it('is refused with 503 above the limit of a process, and admitted again when others have left', async () => {
    await host.watched();
    const all = await Promise.all(Array.from({ length: 200 }, () => host.viewer()));
    const refused = await host.dashboard.get('/live');
    expect(refused.status).toBe(503);
    expect(refused.headers.get('retry-after')).toBe('10');
    expect(refused.text).toContain('Too many pages are open');
    all[0]!.leave();
    await until(async () => {
      const next = await host.viewer();
      return next.response.statusCode === 200;
    });
  });

  it('is admitted for others while one operator has all places, which then has one less', async () => {
    await host.open();
    await host.merchant.close();
    const operator = ({ headers }: { headers: Record<string, string> }): string =>
      headers['authorization'] as string;
    host.merchant = await Merchant.open({
      platform,
      imports: [
        PaymentsDashboardModule.forRoot({ unguarded: 'anyone may see every payment', operator }),
      ],
    });
    const url = `${host.merchant.url}/payments-dashboard/live`;
    const viewer = (authorization: string) => host.viewer(url, { authorization });
    const janes = await Promise.all(Array.from({ length: 200 }, () => viewer('jane')));
    expect((await viewer('jane')).response.statusCode).toBe(503);
    const joe = await viewer('joe');
    expect(joe.response.statusCode).toBe(200);
    await until(() => janes.filter(({ isEnded }) => isEnded).length === 1);
    expect((await viewer('jane')).response.statusCode).toBe(503);
    expect(joe.isEnded).toBe(false);
  });

  it('answers a request for its head at once, and holds no place for it', async () => {
    await host.watched();
    await Promise.all(Array.from({ length: 199 }, () => host.viewer()));
    for (let times = 0; times < 3; times += 1) {
      const { status, headers, text } = await host.dashboard.get('/live', { method: 'HEAD' });
      expect({ status, text }).toEqual({ status: 200, text: '' });
      expect(headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    }
    const last = await host.viewer();
    expect(last.response.statusCode).toBe(200);
    expect((await host.dashboard.get('/live', { method: 'HEAD' })).status).toBe(503);
  });

  it('is for those whom the guards admit', async () => {
    await host.open();
    await host.merchant.close();
    host.merchant = await Merchant.open({
      platform,
      imports: [PaymentsDashboardModule.forRoot({ guards: [KeyGuard] })],
    });
    const url = `${host.merchant.url}/payments-dashboard/live`;
    expect((await host.viewer(url)).response.statusCode).toBe(401);
    const page = await host.viewer(url, { authorization: 'jane' });
    expect(page.response.statusCode).toBe(200);
    await until(() => page.messages.length > 0);
  });

  it('is not broken by interceptors of the host that wrap answers or end slow ones', async () => {
    const wrapping: NestInterceptor = {
      intercept: (_, next) =>
        next.handle().pipe(
          timeout(2_000),
          map((data: unknown) => ({ data })),
        ),
    };
    const store = new MemoryStore();
    await host.open({
      payments: { store },
      configure: (app) => app.useGlobalInterceptors(wrapping),
    });
    const page = await host.viewer();
    await until(() => page.messages.length > 0);
    await pause(2_500);
    await commitEvents(store, 'default', anEvent('default', 'ours'));
    await until(() => page.changes.length > 0);
    expect(page.changes[0]!.about).toEqual(['ours']);
  });
});
