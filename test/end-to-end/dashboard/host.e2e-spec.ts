import {
  Injectable,
  Module,
  UnauthorizedException,
  VersioningType,
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
} from '@nestjs/common';
import { APP_GUARD, APP_INTERCEPTOR } from '@nestjs/core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { PaymentsDashboardModule } from '@tillkit/dashboard';
import { getPaymentsToken, PaymentsModule, type PaymentsService } from '@tillkit/payments';
import { captureLog, DashboardVisitor, followLinks } from '../../support/dashboard.visitor.js';
import { ApiGuard, Public, WrappingInterceptor } from '../../support/host.guards.js';
import { aRequest, Merchant, type MerchantOptions } from '../../support/merchant.js';
import { PLATFORMS } from '../../support/platforms.js';

const UNGUARDED = 'anyone may see every payment';

/** The operators of a host. */
@Injectable()
class Operators {
  readonly names: ReadonlyMap<string, string> = new Map([['key-of-jane', 'jane@shop.example']]);
}

@Module({ providers: [Operators], exports: [Operators] })
class OperatorsModule {}

@Injectable()
class OperatorsGuard implements CanActivate {
  constructor(private readonly operators: Operators) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context
      .switchToHttp()
      .getRequest<{ headers: Record<string, string>; operator?: string }>();
    const name = this.operators.names.get(request.headers['authorization'] ?? '');
    if (name === undefined) throw new UnauthorizedException('sign in first');
    request.operator = name;
    return true;
  }
}

const ACCOUNT = {
  baseUrl: 'https://platform.example',
  clientId: 'id',
  clientSecret: 'secret',
  publicUrl: 'https://shop.example',
  apiKeys: ['an-api-key-of-the-portal'],
  background: false,
} as const;

describe.each(PLATFORMS)('A host of the dashboard on $platform', (platform) => {
  let merchant: Merchant | undefined;

  afterEach(async () => {
    await merchant?.close();
    merchant = undefined;
  });

  const open = async (options: Omit<MerchantOptions, 'platform'>): Promise<Merchant> =>
    (merchant = await Merchant.open({ platform, ...options }));

  const unguarded = () => PaymentsDashboardModule.forRoot({ unguarded: UNGUARDED });

  const pay = async ({ payments, received }: Merchant): Promise<string> => {
    const { id } = await payments.request(aRequest());
    await received.next('payment.succeeded');
    return id;
  };

  it.each<[string, string, (app: INestApplication) => void]>([
    ['nothing special', '', () => undefined],
    ['a global prefix', '/api/shop', (app) => app.setGlobalPrefix('api/shop')],
    [
      'URI versioning',
      '',
      (app) => app.enableVersioning({ type: VersioningType.URI, defaultVersion: '2' }),
    ],
    [
      'a prefix that is the path of the dashboard, and header versioning',
      '/payments-dashboard',
      (app) => {
        app.setGlobalPrefix('payments-dashboard');
        app.enableVersioning({ type: VersioningType.HEADER, header: 'x-v', defaultVersion: '2' });
      },
    ],
  ])('with %s has a dashboard without broken links', async (_, prefix, configure) => {
    const { url } = await open({ imports: [unguarded()], configure });
    const id = await pay(merchant!);
    const seen = await followLinks(`${url}${prefix}/payments-dashboard`);
    for (const page of [
      'overview',
      'statistics.json',
      'payments',
      `payments/${id}`,
      'assets/chart.js',
    ]) {
      const start = `${url}${prefix}/payments-dashboard/${page}`;
      expect(seen.filter((one) => one.startsWith(start))).not.toEqual([]);
    }
  });

  it('with a global guard locks browsers out, and lets them pass with its own decorator', async () => {
    const providers = [{ provide: APP_GUARD, useClass: ApiGuard }];
    const locked = await open({ imports: [unguarded()], providers });
    const refused = new DashboardVisitor(`${locked.url}/payments-dashboard`);
    expect((await refused.get('/payments')).status).toBe(403);
    await locked.close();

    const controllerDecorators = [Public()];
    const { url } = await open({
      imports: [PaymentsDashboardModule.forRoot({ unguarded: UNGUARDED, controllerDecorators })],
      providers,
    });
    await followLinks(`${url}/payments-dashboard`);
    const dashboard = new DashboardVisitor(`${url}/payments-dashboard`);
    expect((await dashboard.get('/no/such/page')).status).toBe(404);
    expect((await dashboard.post('/find', { words: 'nothing' })).status).toBe(404);
  });

  it('with a decorator for the pages still has its own guards before every page', async () => {
    const { url } = await open({
      imports: [
        PaymentsDashboardModule.forRoot({
          imports: [OperatorsModule],
          guards: [OperatorsGuard],
          controllerDecorators: [Public()],
        }),
      ],
      providers: [{ provide: APP_GUARD, useClass: ApiGuard }],
    });
    const get = async (path: string, headers = {}): Promise<number> =>
      (await fetch(`${url}/payments-dashboard${path}`, { headers })).status;
    for (const path of ['', '/payments', '/assets/dashboard.css', '/no/such/page']) {
      expect(await get(path)).toBe(401);
    }
    expect(await get('/payments', { authorization: 'key-of-jane' })).toBe(200);
  });

  it('with an interceptor that wraps answers sends unwrapped pages', async () => {
    const { url } = await open({
      imports: [unguarded()],
      providers: [{ provide: APP_INTERCEPTOR, useClass: WrappingInterceptor }],
    });
    const dashboard = new DashboardVisitor(`${url}/payments-dashboard`);
    expect((await dashboard.get('/payments')).text).toMatch(/^<!doctype html>/);
    expect(JSON.parse((await dashboard.get('/statistics.json')).text)).toHaveProperty('figures');
    expect((await dashboard.get('/assets/dashboard.css')).text).not.toContain('wrapped');
  });

  it('with a content security policy of its own has our policy on our pages, and its own elsewhere', async () => {
    const { url } = await open({
      imports: [unguarded()],
      configure: (app) =>
        app.use(
          (_: unknown, response: { setHeader(n: string, v: string): void }, next: () => void) => {
            response.setHeader('Content-Security-Policy', "default-src 'self' 'unsafe-inline'");
            response.setHeader('X-Of-The-Host', 'kept');
            next();
          },
        ),
    });
    const { headers } = await new DashboardVisitor(`${url}/payments-dashboard`).get('/payments');
    expect(headers.get('content-security-policy')).not.toContain('unsafe');
    expect(headers.get('x-of-the-host')).toBe('kept');
    const elsewhere = await fetch(`${url}/elsewhere`);
    expect(elsewhere.headers.get('content-security-policy')).toContain('unsafe-inline');
  });

  describe('with a guard that injects what it needs', () => {
    const guarded = () =>
      PaymentsDashboardModule.forRoot({
        imports: [OperatorsModule],
        guards: [OperatorsGuard],
        unguardedActions: 'anyone may move money',
        operator: (request: { operator: string }) => request.operator,
      });

    describe('before an outsider', () => {
      let shared: Merchant;

      beforeAll(async () => {
        shared = await Merchant.open({ platform, imports: [guarded()] });
        await pay(shared);
      });
      afterAll(() => shared.close());

      it.each([
        ['GET', ''],
        ['GET', '/overview'],
        ['GET', '/payments'],
        ['GET', '/statistics.json'],
        ['GET', '/assets/dashboard.css'],
        ['GET', '/assets/chart.js'],
        ['GET', '/nothing/here'],
        ['POST', '/find'],
        ['POST', '/payments/search'],
        ['POST', '/payments/1/phone'],
        ['POST', '/operations/1/review'],
        ['POST', '/deliveries/1/replay'],
        ['POST', '/deliveries/1/body'],
        ['POST', '/dead-letters/replay'],
        ['POST', '/sending'],
        ['POST', '/transaction/phone'],
        ['POST', '/reconciliation'],
      ])('answers %s %j with the error of the guard, and shows nothing', async (method, path) => {
        const outsider = new DashboardVisitor(`${shared.url}/payments-dashboard`);
        const { status, text } = await (method === 'GET'
          ? outsider.get(path)
          : outsider.post(path));
        expect(status).toBe(401);
        expect(JSON.parse(text)).toMatchObject({ message: 'sign in first' });
      });
    });

    it('admits an operator, and names the operator in the log', async () => {
      const { url } = await open({ imports: [guarded()] });
      const id = await pay(merchant!);
      const jane = new DashboardVisitor(`${url}/payments-dashboard`, {
        authorization: 'key-of-jane',
      });
      expect((await jane.get('/payments')).status).toBe(200);
      const log = captureLog();
      await jane.post(`/payments/${id}/phone`);
      expect(log).toEqual([
        {
          level: 'log',
          line: `dashboard of account default: jane@shop.example looked up the phone number of payment ${id}`,
        },
      ]);
    });

    it('applies its global guards to our routes as well', async () => {
      const { url } = await open({
        imports: [guarded()],
        providers: [{ provide: APP_GUARD, useValue: { canActivate: () => false } }],
      });
      const jane = new DashboardVisitor(`${url}/payments-dashboard`, {
        authorization: 'key-of-jane',
      });
      expect((await jane.get('/payments')).status).toBe(403);
    });

    it('can give the operator function in a factory', async () => {
      const { url } = await open({
        imports: [
          PaymentsDashboardModule.forRootAsync({
            path: 'ops',
            imports: [OperatorsModule],
            guards: [OperatorsGuard],
            inject: [Operators],
            useFactory: (operators: Operators) => ({
              operator: () => [...operators.names.values()].join(),
              timeZone: 'Africa/Nairobi',
            }),
          }),
        ],
      });
      const id = await pay(merchant!);
      const jane = new DashboardVisitor(`${url}/ops`, { authorization: 'key-of-jane' });
      expect((await jane.get('/payments')).text).toContain('All times are in Africa/Nairobi');
      const log = captureLog();
      await jane.post(`/payments/${id}/phone`);
      expect(log[0]?.line).toContain('jane@shop.example looked up');
    });
  });

  it('can give an instance of a guard', async () => {
    const { url } = await open({
      imports: [PaymentsDashboardModule.forRoot({ guards: [{ canActivate: () => false }] })],
    });
    expect((await fetch(`${url}/payments-dashboard/payments`)).status).toBe(403);
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('no session');
      },
      'unknown operator',
    ],
    ['returns null', () => null, 'unknown operator'],
    ['returns line breaks', () => 'eve\n[Nest] all is well', 'eve [Nest] all is well'],
    ['returns a very long name', () => 'x'.repeat(5_000), 'x'.repeat(100)],
  ])('has one line in the log when its operator function %s', async (_, operator, name) => {
    const { url } = await open({
      imports: [PaymentsDashboardModule.forRoot({ unguarded: UNGUARDED, operator })],
    });
    const id = await pay(merchant!);
    const log = captureLog();
    await new DashboardVisitor(`${url}/payments-dashboard`).post(`/payments/${id}/phone`);
    expect(log.filter(({ level }) => level === 'log')).toEqual([
      {
        level: 'log',
        line: `dashboard of account default: ${name} looked up the phone number of payment ${id}`,
      },
    ]);
  });

  it('shows two accounts in two separate dashboards', async () => {
    const { url, app } = await open({
      imports: [
        PaymentsModule.forRoot({
          ...ACCOUNT,
          account: 'cafe',
          path: 'payments/cafe',
          tillNumber: '7',
          sending: { sendBeforeMs: 100 },
        }),
        unguarded(),
        PaymentsDashboardModule.forRoot({
          unguarded: UNGUARDED,
          account: 'cafe',
          path: 'cafe-desk',
        }),
      ],
    });
    const shop = app.get<PaymentsService>(getPaymentsToken(), { strict: false });
    const { id } = await shop.request(aRequest());
    const cafe = app.get<PaymentsService>(getPaymentsToken('cafe'), { strict: false });
    const other = await cafe.request(aRequest());
    const ours = new DashboardVisitor(`${url}/payments-dashboard`);
    const theirs = new DashboardVisitor(`${url}/cafe-desk`);
    expect((await ours.get('/payments')).text).toContain(`payments/${id}`);
    expect((await ours.get('/payments')).text).not.toContain(other.id);
    expect((await theirs.get('/payments')).text).toContain(`payments/${other.id}`);
    expect((await theirs.get('/payments')).text).toContain('<span class="account">cafe</span>');
    expect((await theirs.get(`/payments/${id}`)).status).toBe(404);
  });

  it('can have its dashboard below the path of the payments routes', async () => {
    const path = 'payments/desk';
    const { url } = await open({
      imports: [PaymentsDashboardModule.forRoot({ unguarded: UNGUARDED, path })],
    });
    expect((await fetch(`${url}/payments/desk/payments`)).status).toBe(200);
    await pay(merchant!);
  });
});
