import { randomUUID } from 'node:crypto';
import type { WireObject } from '../transactions/transaction.resource.js';
import { timestamp } from '../values/timestamp.js';
import { describeEventType, type EventType } from './event-types.constants.js';
import { sampleResource } from './sample-resources.js';

interface Said {
  readonly id: string;
  readonly topic: EventType;
  readonly createdAt: number;
  readonly resource: WireObject;
  /** The id in `_links.resource`. */
  readonly resourceId: string;
}

/** Returns the body of a webhook, with links that begin with `base`. */
export function webhookBody(
  { id, topic, createdAt, resource, resourceId }: Said,
  base: string,
): WireObject {
  const { type, collection } = describeEventType(topic);
  return {
    topic,
    id,
    created_at: timestamp(createdAt),
    event: { type, resource },
    _links: {
      self: `${base}/webhook_events/${id}`,
      resource: `${base}/${collection}/${resourceId}`,
    },
  };
}

/** Returns the body of a webhook about something that never happened, at a platform that does not exist. */
export function exampleWebhook(topic: EventType, tillNumber: string, now: Date): WireObject {
  const createdAt = now.getTime();
  const resource = sampleResource(topic, tillNumber, createdAt);
  const resourceId = typeof resource['id'] === 'string' ? resource['id'] : randomUUID();
  const said = { id: randomUUID(), topic, createdAt, resource, resourceId };
  return webhookBody(said, 'https://platform.invalid');
}
