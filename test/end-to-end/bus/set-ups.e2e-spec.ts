import { Injectable, type DynamicModule } from '@nestjs/common';
import { ClientsModule, Transport, type RmqOptions } from '@nestjs/microservices';
import { describe, expect, it } from '@jest/globals';
import { PaymentsConfigurationError } from '@tillkit/payments';
import { ForwardPaymentEvents } from '@tillkit/payments/microservices';
import { aRequest, Merchant } from '../../support/merchant.js';
import { RecordingBus } from '../../support/recording.bus.js';

const busNamed = (name: string | symbol): DynamicModule =>
  ClientsModule.register([{ name, customClass: RecordingBus }]);

/** Starts an application, and resolves with the problems for which it refused to start. */
async function problemsWith(...imports: DynamicModule[]): Promise<readonly string[]> {
  const started = await Merchant.open({ imports }).catch((error: unknown) => error);
  if (!(started instanceof Merchant)) {
    expect(started).toBeInstanceOf(PaymentsConfigurationError);
    return (started as PaymentsConfigurationError).problems;
  }
  await started.close();
  return [];
}

// An application that does not start has no HTTP: one platform is enough.
describe('A set-up of a bus', () => {
  it('is made by a factory too, and its client may have a symbol as its token', async () => {
    const BUS = Symbol('bus');
    const merchant = await Merchant.open({
      imports: [
        busNamed(BUS),
        ForwardPaymentEvents.registerAsync({
          useFactory: async () => ({ client: BUS, events: ['payment.succeeded'] }),
        }),
      ],
    });
    await merchant.payments.request(aRequest());
    const bus = merchant.app.get<RecordingBus>(BUS, { strict: false });
    expect((await bus.next('payment.succeeded')).specversion).toBe('1.0');
    await merchant.close();
  });

  it('may have two buses, each with a forwarder that has its own id', async () => {
    const merchant = await Merchant.open({
      imports: [
        busNamed('BUS'),
        busNamed('ARCHIVE'),
        ForwardPaymentEvents.register({ client: 'BUS' }),
        ForwardPaymentEvents.register({ client: 'ARCHIVE', id: 'archive' }),
      ],
    });
    await merchant.payments.request(aRequest());
    const [one, other] = await Promise.all(
      ['BUS', 'ARCHIVE'].map((name) =>
        merchant.app.get<RecordingBus>(name, { strict: false }).next('payment.succeeded'),
      ),
    );
    expect(one).toEqual(other);
    await merchant.close();
  });

  it('is refused when two forwarders of an event have one id', async () => {
    const problems = await problemsWith(
      busNamed('BUS'),
      ForwardPaymentEvents.register({ client: 'BUS' }),
      ForwardPaymentEvents.register({ client: 'BUS', events: ['payment.succeeded'] }),
    );
    expect(problems).toEqual([
      expect.stringContaining(
        'two listeners of payment.succeeded have the id "ForwardPaymentEvents"',
      ),
    ]);
  });

  it('is refused when no module provides its client: the error names option, cause and cure', async () => {
    expect(await problemsWith(ForwardPaymentEvents.register({ client: 'BUS' }))).toEqual([
      "ForwardPaymentEvents: option client is 'BUS', and no module of this application provides it: import " +
        "ClientsModule.register([{ name: 'BUS', transport: ... }]), or name the client that you have registered",
    ]);
  });

  it('is refused when its client is no client', async () => {
    @Injectable()
    class Shop {}
    const module = { module: class ShopModule {}, providers: [Shop] };
    expect(await problemsWith(module, ForwardPaymentEvents.register({ client: Shop }))).toEqual([
      expect.stringMatching(/option client is Shop, and its provider has no emit\(\): use the /),
    ]);
  });

  it.each([
    [
      'names an event that there is none of',
      ['payment.suceeded'],
      /has "payment.suceeded", and there is no such event/,
    ],
    ['names no event', [], /option events is empty, so nothing would be forwarded/],
  ])('is refused when it %s', async (_what, events, problem) => {
    const forward = ForwardPaymentEvents.register({ client: 'BUS', events: events as never });
    expect(await problemsWith(busNamed('BUS'), forward)).toEqual([expect.stringMatching(problem)]);
  });

  describe('with RabbitMQ', () => {
    const problemsOf = (options: RmqOptions['options']): Promise<readonly string[]> =>
      problemsWith(
        ClientsModule.register([
          { name: 'BUS', transport: Transport.RMQ, options: { ...options } },
        ]),
        ForwardPaymentEvents.register({ client: 'BUS' }),
      );

    it('is refused too when its client is of another copy of @nestjs/microservices', async () => {
      class Copy extends RecordingBus {
        readonly options = { persistent: false };
      }
      Object.defineProperty(Copy, 'name', { value: 'ClientRMQ' });
      const problems = await problemsWith(
        ClientsModule.register([{ name: 'BUS', customClass: Copy }]),
        ForwardPaymentEvents.register({ client: 'BUS' }),
      );
      expect(problems).toEqual([expect.stringMatching(/option persistent of the client 'BUS'/)]);
    });

    it('is accepted with persistent messages and a durable queue, although RabbitMQ is away', async () => {
      expect(await problemsOf({ urls: ['amqp://127.0.0.1:1'], persistent: true })).toEqual([]);
    });

    it.each([
      ['persistent', {}, 'persistent: true'],
      [
        'queueOptions.durable',
        { persistent: true, queueOptions: { durable: false } },
        'durable: true',
      ],
      [
        'queueOptions.exclusive',
        { persistent: true, queueOptions: { exclusive: true } },
        'exclusive: false',
      ],
      [
        'queueOptions.autoDelete',
        { persistent: true, queueOptions: { autoDelete: true } },
        'autoDelete: false',
      ],
    ])(
      'is refused when its option %s would lose confirmed events',
      async (option, options, cure) => {
        const [problem, ...others] = await problemsOf(options);
        expect(others).toEqual([]);
        expect(problem).toContain(`ForwardPaymentEvents: option ${option} of the client 'BUS' is `);
        expect(problem).toContain(
          `events would be lost: set ${cure} where you register the client`,
        );
      },
    );

    const dropping = (queueOptions: object): Promise<readonly string[]> =>
      problemsOf({ urls: ['amqp://127.0.0.1:1'], persistent: true, queueOptions });

    it.each<[string, object, RegExp]>([
      ['messageTtl', { messageTtl: 60_000 }, /longer are dropped.*: remove it where you register/],
      [
        "arguments['x-message-ttl']",
        { arguments: { 'x-message-ttl': 60_000 } },
        /longer are dropped.*: remove it where you register/,
      ],
      ['maxLength', { maxLength: 10 }, /full queue drops.*: set overflow: 'reject-publish' beside/],
      [
        'maxLength',
        { maxLength: 10, overflow: 'drop-head' },
        /full queue drops.*: set overflow: 'reject-publish' beside it/,
      ],
      [
        "arguments['x-max-length']",
        { arguments: { 'x-max-length': 10 } },
        /full queue drops.*: set overflow: 'reject-publish' beside it/,
      ],
      [
        "arguments['x-max-length-bytes']",
        { arguments: { 'x-max-length-bytes': 10 } },
        /full queue drops.*: set overflow: 'reject-publish' beside it/,
      ],
      ['expires', { expires: 60_000 }, /queue is deleted when no receiver.*: remove it/],
      [
        "arguments['x-max-age']",
        { arguments: { 'x-queue-type': 'stream', 'x-max-age': '1D' } },
        /older events are dropped.*: remove it/,
      ],
    ])(
      'is refused when its queue would drop confirmed events by %s as in %j',
      async (name, given, why) => {
        const [problem, ...others] = await dropping(given);
        expect(others).toEqual([]);
        expect(problem).toContain(`option queueOptions.${name} of the client 'BUS' is set, so `);
        expect(problem).toMatch(why);
      },
    );

    it.each([
      ['a short name', { maxLength: 10, overflow: 'reject-publish' }],
      ['arguments', { arguments: { 'x-max-length': 10, 'x-overflow': 'reject-publish-dlx' } }],
      ['a queue type', { arguments: { 'x-queue-type': 'quorum' } }],
    ])('is accepted when a full queue refuses events, or drops none: %s', async (_, given) => {
      expect(await dropping(given)).toEqual([]);
    });
  });
});
