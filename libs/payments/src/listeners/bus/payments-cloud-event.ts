import { withoutPersons } from '../../store/redaction.js';
import type { PaymentsEventName, PaymentsEvents } from '../../payments.events.js';
import { currentTraceparent } from '../../runtime/telemetry/spans.js';

/** A value after its way through JSON: dates are texts in ISO 8601. @publicApi */
export type AsJson<T> = T extends Date
  ? string
  : T extends readonly (infer Item)[]
    ? readonly AsJson<Item>[]
    : T extends object
      ? { readonly [Key in keyof T]: AsJson<T[Key]> }
      : T;

/**
 * An event on the bus. A repeated one has the same `source` and `id`.
 * @see https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/spec.md
 * @publicApi
 */
export interface PaymentsCloudEvent<Name extends PaymentsEventName = PaymentsEventName> {
  readonly specversion: '1.0';
  /** `eventId` of the event. */
  readonly id: string;
  readonly source: string;
  /** `com.tillkit.` and the name of the event. */
  readonly type: `com.tillkit.${Name}`;
  /** Id of the operation, reference of the transaction, or id of the resource or delivery. */
  readonly subject?: string;
  /** `occurredAt` of the event. */
  readonly time: string;
  readonly datacontenttype: 'application/json';
  /** The payload. Without `personalData`, personal fields are empty or null. */
  readonly data: AsJson<PaymentsEvents[Name]>;
  /**
   * The span of the listener call that sent it. Absent without an SDK of OpenTelemetry.
   * @see https://github.com/cloudevents/spec/blob/v1.0.2/cloudevents/extensions/distributed-tracing.md
   */
  readonly traceparent?: string;
}

export function toCloudEvent<Name extends PaymentsEventName>(
  name: Name,
  payload: PaymentsEvents[Name],
  {
    source = sourceOf,
    personalData = false,
  }: { source?: (account: string) => string; personalData?: boolean },
): PaymentsCloudEvent<Name> {
  const { eventId, account, occurredAt } = payload;
  const data = personalData ? payload : withoutPersons(payload);
  const subject = subjectOf({ ...payload });
  const traceparent = currentTraceparent();
  return {
    specversion: '1.0',
    id: eventId,
    source: source(account),
    type: `com.tillkit.${name}`,
    ...(subject !== undefined && { subject }),
    time: occurredAt,
    datacontenttype: 'application/json',
    data: JSON.parse(JSON.stringify(data)) as AsJson<PaymentsEvents[Name]>,
    ...(traceparent !== undefined && { traceparent }),
  };
}

function sourceOf(account: string): string {
  return `urn:tillkit:account:${encodeURIComponent(account)}`;
}

interface Identified {
  id?: unknown;
  reference?: unknown;
}

/** Returns the operation rather than the transaction that paid it: an event about both is about the operation. */
function subjectOf({
  transaction,
  deliveryId,
  ...more
}: Record<string, unknown>): string | undefined {
  const { id, reference } = (transaction ?? {}) as Identified;
  const ids = Object.values(more).map((value) => (value as Identified | null)?.id);
  return [...ids, reference, id, deliveryId].find((found) => typeof found === 'string');
}
