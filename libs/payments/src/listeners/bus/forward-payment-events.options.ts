import type { InjectionToken } from '@nestjs/common';
import { EVENT_NAMES, type PaymentsEventName } from '../../payments.events.js';
import { PaymentsConfigurationError } from '../../payments.errors.js';
import type { PaymentsCloudEvent } from './payments-cloud-event.js';

/** Options of `ForwardPaymentEvents`. @publicApi */
export interface ForwardPaymentEventsOptions {
  /** Injection token of the `ClientProxy` that emits the events: the `name` that you gave it in `ClientsModule`. */
  client: InjectionToken;
  /** Events to forward. @default all */
  events?: readonly PaymentsEventName[];
  /** Account whose events are forwarded. @default every account */
  account?: string;
  /**
   * Id of the listener under which the store keeps the calls. A second forwarder needs its own. If you change it, nobody makes the calls that
   * wait under the old one. @default 'ForwardPaymentEvents'
   */
  id?: string;
  /** Pattern with which an event is emitted: what `@EventPattern()` of the receivers has. @default its name, `payment.succeeded` */
  pattern?: (event: PaymentsCloudEvent) => string;
  /** `source` of the events of an account, a URI. @default `urn:tillkit:account:` and the name of the account */
  source?: (account: string) => string;
  /**
   * True when the events on the bus carry names, phone numbers, metadata and other personal data. Retention and `PersonalDataService` do
   * not reach copies there.
   * @default false
   */
  personalData?: boolean;
}

export const FORWARD_OPTIONS = Symbol('tillkit:forward-payment-events-options');

export const DEFAULT_LISTENER_ID = 'ForwardPaymentEvents';

/** @throws PaymentsConfigurationError when there is no event of a name, or no event at all */
export function forwardedEvents({
  events = EVENT_NAMES,
}: ForwardPaymentEventsOptions): readonly PaymentsEventName[] {
  const unknown = events.filter((name) => !EVENT_NAMES.includes(name));
  if (unknown.length > 0)
    throw new PaymentsConfigurationError([
      `ForwardPaymentEvents: option events has ${unknown.map((name) => `"${String(name)}"`).join(', ')}, and there is no ` +
        'such event: write names of PaymentsEvents, such as "payment.succeeded"',
    ]);
  if (events.length === 0)
    throw new PaymentsConfigurationError([
      'ForwardPaymentEvents: option events is empty, so nothing would be forwarded: name events, or leave the option out to ' +
        'forward all',
    ]);
  return [...new Set(events)];
}
