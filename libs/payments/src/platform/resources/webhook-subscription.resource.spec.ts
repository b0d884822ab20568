import { describe, expect, it } from '@jest/globals';
import { readEnvelope, type ResourceEnvelope } from '../wire-value.js';
import { readResource } from '../resource-table.js';
import {
  WEBHOOK_SUBSCRIPTION,
  toWireWebhookSubscription,
} from './webhook-subscriptions.service.js';

const subscription = (attributes: object): ResourceEnvelope =>
  readEnvelope({ data: { id: 'one', type: 'x', attributes } }) as ResourceEnvelope;

describe('a webhook subscription', () => {
  it.each([
    ['webhook_uri', { webhook_uri: 'https://shop.example/hooks' }],
    ['url', { url: 'https://shop.example/hooks' }],
  ])('is read with its URL in the field %s', (_, attributes) => {
    expect(readResource(WEBHOOK_SUBSCRIPTION, subscription(attributes)).url).toBe(
      'https://shop.example/hooks',
    );
  });

  it('is read even if it has unknown fields only', () => {
    const { raw, ...fields } = readResource(WEBHOOK_SUBSCRIPTION, subscription({ tomorrow: 1 }));
    expect(fields).toEqual({
      id: 'one',
      eventType: null,
      url: null,
      status: null,
      scope: null,
      scopeReference: null,
    });
    expect(raw).toMatchObject({ attributes: { tomorrow: 1 } });
  });

  it('sets the field for the Daraja format only when the host sets it, to true or false', () => {
    const dto = { eventType: 'buygoods_transaction_received', scope: 'company' } as const;
    const url = 'https://shop.example/hooks';
    expect(toWireWebhookSubscription(dto, url)).not.toHaveProperty('enable_daraja_payload');
    expect(toWireWebhookSubscription({ ...dto, enableDarajaPayload: false }, url)).toMatchObject({
      enable_daraja_payload: false,
      scope_reference: '',
    });
  });
});
