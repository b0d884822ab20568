import { Controller, type INestApplication } from '@nestjs/common';
import { ClientsModule, EventPattern, Payload, Transport } from '@nestjs/microservices';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ForwardPaymentEvents, type PaymentsCloudEvent } from '@tillkit/payments/microservices';
import { aRequest, Merchant } from '../../support/merchant.js';
import { freePort } from '../../support/free.port.js';
import { PLATFORMS } from '../../support/platforms.js';
import { until } from '../../support/until.js';

const received: PaymentsCloudEvent<'payment.succeeded'>[] = [];

@Controller()
class Receiver {
  @EventPattern('payment.succeeded')
  paid(@Payload() event: PaymentsCloudEvent<'payment.succeeded'>): void {
    received.push(event);
  }
}

describe.each(PLATFORMS)('A hybrid application on $platform', (platform) => {
  let merchant: Merchant;

  const open = async (isConfigInherited: boolean): Promise<void> => {
    const bus = { host: '127.0.0.1', port: await freePort() };
    let hybrid: INestApplication | undefined;
    merchant = await Merchant.open({
      platform,
      imports: [
        ClientsModule.register([{ name: 'BUS', transport: Transport.TCP, options: bus }]),
        ForwardPaymentEvents.register({ client: 'BUS', events: ['payment.succeeded'] }),
      ],
      controllers: [Receiver],
      configure: (app) => {
        hybrid = app;
        app.connectMicroservice(
          { transport: Transport.TCP, options: bus },
          { inheritAppConfig: isConfigInherited },
        );
      },
    });
    await hybrid?.startAllMicroservices();
  };

  beforeEach(() => void (received.length = 0));
  afterEach(() => merchant.close());

  it.each([
    ['its own configuration', false],
    ['the configuration of the application', true],
  ])(
    'whose microservice has %s verifies deliveries, calls listeners, and receives what it forwards',
    async (_what, isConfigInherited) => {
      await open(isConfigInherited);
      const { id } = await merchant.payments.request(aRequest());
      expect(await merchant.payments.settled(id)).toMatchObject({ state: 'succeeded' });
      const { eventId, via } = await merchant.received.next('payment.succeeded');
      // The platform reached our route.
      expect(via).toBe('callback');
      const forged = await fetch(merchant.webhookUrl, { method: 'POST', body: '{}' });
      expect(forged.status).toBe(401);
      await until(() => received.length > 0);
      expect(received[0]).toMatchObject({ id: eventId, subject: id, data: { payment: { id } } });
    },
  );
});
