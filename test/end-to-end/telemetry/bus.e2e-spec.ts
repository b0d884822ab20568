import { ClientsModule } from '@nestjs/microservices';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ForwardPaymentEvents } from '@tillkit/payments/microservices';
import { aRequest, Merchant } from '../../support/merchant.js';
import { RecordedTelemetry } from '../../../libs/payments/src/testing/recorded.telemetry.js';
import { RecordingBus } from '../../support/recording.bus.js';
import { until } from '../../support/until.js';

// A listener call has nothing to do with HTTP: one platform is enough.
describe('An event on a bus, with an SDK of OpenTelemetry,', () => {
  const telemetry = new RecordedTelemetry();
  let merchant: Merchant;

  beforeEach(() => telemetry.start());
  afterEach(async () => {
    await merchant.close();
    await telemetry.stop();
  });

  it('names the span of the listener call that sent it', async () => {
    merchant = await Merchant.open({
      imports: [
        ClientsModule.register([{ name: 'BUS', customClass: RecordingBus }]),
        ForwardPaymentEvents.register({ client: 'BUS', events: ['payment.succeeded'] }),
      ],
    });
    await merchant.payments.request(aRequest());
    const event = await merchant.app
      .get<RecordingBus>('BUS', { strict: false })
      .next('payment.succeeded');
    const ofCall = () =>
      telemetry
        .named('process payment.succeeded')
        .find(
          ({ attributes }) =>
            attributes['messaging.consumer.group.name'] === 'ForwardPaymentEvents',
        );
    await until(() => ofCall() !== undefined);
    const { traceId, spanId } = ofCall()!.spanContext();
    expect(event.traceparent).toBe(`00-${traceId}-${spanId}-01`);
  });
});
