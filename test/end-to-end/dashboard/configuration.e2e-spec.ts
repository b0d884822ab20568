import type { CanActivate } from '@nestjs/common';
import { describe, expect, it } from '@jest/globals';
import { DashboardConfigurationError, PaymentsDashboardModule } from '@tillkit/dashboard';
import { Merchant, type MerchantOptions } from '../../support/merchant.js';

const UNGUARDED = 'anyone may see every payment';
const UNGUARDED_ACTIONS = 'anyone may move money';

class OperatorsGuard implements CanActivate {
  canActivate(): boolean {
    return true;
  }
}

// The module checks its options before the application listens: the HTTP adapter plays no part.
describe('The configuration of a dashboard', () => {
  const problemOf = (make: () => unknown): string => {
    try {
      make();
    } catch (error) {
      if (error instanceof DashboardConfigurationError) return error.message;
      throw error;
    }
    throw new Error('it was not refused');
  };

  it('is refused without a guard, with the line to write', () => {
    for (const options of [undefined, {}, { guards: [] }]) {
      const message = problemOf(() => PaymentsDashboardModule.forRoot(options as never));
      expect(message).toContain('guards is empty');
      expect(message).toContain('PaymentsDashboardModule.forRoot({ guards: [OperatorsGuard] })');
      expect(message).toContain(`unguarded: '${UNGUARDED}'`);
    }
    problemOf(() => PaymentsDashboardModule.forRootAsync({ useFactory: () => ({}) }));
  });

  it.each([true, 'yes', 'Anyone may see every payment', ''])(
    'is refused when unguarded is %j and not the required text',
    (unguarded) => {
      const message = problemOf(() =>
        PaymentsDashboardModule.forRoot({ unguarded: unguarded as never }),
      );
      expect(message).toContain('unguarded has an unknown value');
    },
  );

  it('is refused with both guards and unguarded', () => {
    const guards = [OperatorsGuard];
    expect(
      problemOf(() => PaymentsDashboardModule.forRoot({ guards, unguarded: UNGUARDED })),
    ).toContain('contradict');
  });

  it.each([
    ['undefined in a list', [undefined]],
    ['an empty object in a list', [{}]],
    ['a text in a list', ['guard']],
    ['a guard without a list', OperatorsGuard],
  ])('is refused with %s as guards', (_, guards) => {
    expect(problemOf(() => PaymentsDashboardModule.forRoot({ guards: guards as never }))).toContain(
      'classes or instances with canActivate()',
    );
  });

  const withActions = (more: object): string =>
    problemOf(() => PaymentsDashboardModule.forRoot({ unguarded: UNGUARDED, ...more }));

  it.each([true, 'yes', 'Anyone may move money', '', null])(
    'is refused when unguardedActions is %j and not the required text',
    (unguardedActions) => {
      expect(withActions({ unguardedActions })).toContain(
        `unguardedActions has an unknown value: write unguardedActions: '${UNGUARDED_ACTIONS}'`,
      );
    },
  );

  it('is refused with both actionGuards and unguardedActions', () => {
    const both = { actionGuards: [OperatorsGuard], unguardedActions: UNGUARDED_ACTIONS };
    expect(withActions(both)).toContain('contradict each other: remove unguardedActions');
  });

  it('is refused with empty actionGuards, which do not say who may move money', () => {
    expect(withActions({ actionGuards: [] })).toContain(
      'set the guards that decide it, actionGuards: [MayMoveMoneyGuard]',
    );
  });

  it.each([
    ['undefined in a list', [undefined]],
    ['an empty object in a list', [{}]],
    ['a text in a list', ['guard']],
    ['a guard without a list', OperatorsGuard],
    ['null', null],
  ])('is refused with %s as actionGuards', (_, actionGuards) => {
    expect(withActions({ actionGuards })).toContain(
      'actionGuards must be a list of guards, classes or instances with canActivate()',
    );
  });

  it.each(['', '/', ':id', 'a//b', '*', 'a b', 'ops?'])('is refused with the path %j', (path) => {
    expect(
      problemOf(() => PaymentsDashboardModule.forRoot({ path, unguarded: UNGUARDED })),
    ).toContain('is not a valid path');
  });

  const start = async (...imports: NonNullable<MerchantOptions['imports']>): Promise<unknown> => {
    const opened = Merchant.open({ imports });
    return opened.then(
      async (merchant) => {
        await merchant.close();
        throw new Error('it was not refused');
      },
      (error: unknown) => error,
    );
  };

  const dashboard = (options: object) =>
    PaymentsDashboardModule.forRoot({ unguarded: UNGUARDED, ...options });

  it.each([
    ['the same path', 'ops', 'ops'],
    ['the same path in another spelling', 'ops', '/Ops/'],
    ['a path within the other path', 'ops', 'ops/payments'],
    ['a path around the other path', 'ops/till', 'ops'],
  ])('is refused when two dashboards have %s', async (_, one, other) => {
    const error = await start(dashboard({ path: one }), dashboard({ path: other }));
    expect(error).toBeInstanceOf(DashboardConfigurationError);
    expect(String(error)).toMatch(/overlap at path .* give one of them its own/);
  });

  it.each(['payments', '/Payments', 'PAYMENTS/'])(
    'is refused at %s, which contains the routes of PaymentsModule',
    async (path) => {
      const error = await start(dashboard({ path }));
      expect(error).toBeInstanceOf(DashboardConfigurationError);
      expect(String(error)).toContain('contains the routes of PaymentsModule');
    },
  );

  it('is refused for an unknown account, with the names of the known accounts', async () => {
    const error = await start(dashboard({ account: 'cafe' }));
    expect(error).toBeInstanceOf(DashboardConfigurationError);
    expect(String(error)).toContain(`there is no account "cafe": write account: 'default'`);
  });

  it('is refused with an unknown time zone', async () => {
    expect(String(await start(dashboard({ timeZone: 'Africa/Atlantis' })))).toContain(
      'there is no time zone "Africa/Atlantis"',
    );
  });
});
