import { Injectable } from '@nestjs/common';
import { CallbackUrls } from '../callback-urls.js';
import { PlatformClient, type CreatedResource } from '../platform.client.js';
import { expectEnvelope } from '../resource-envelope.js';
import { resourceId } from '../resource-id.js';
import { validateInput } from '../validate-input.js';
import { CreateWebhookSubscriptionDto } from './create-webhook-subscription.dto.js';
import {
  readWebhookSubscription,
  toWireWebhookSubscription,
  type WebhookSubscription,
} from './webhook-subscription.resource.js';

const PATH = '/api/v1/webhook_subscriptions';

/** Subscriptions to webhooks (spec 4.5). Any number may cover one till: its money is still told once. @publicApi */
@Injectable()
export class WebhookSubscriptionsService {
  constructor(
    private readonly client: PlatformClient,
    private readonly urls: CallbackUrls,
  ) {}

  /**
   * Subscribes to an event type.
   * @throws PaymentsValidationError before anything is sent
   * @throws UnknownOutcomeError when it may have happened; a second subscription does no harm
   */
  async create(dto: CreateWebhookSubscriptionDto): Promise<CreatedResource> {
    const checked = validateInput(CreateWebhookSubscriptionDto, dto);
    const body = toWireWebhookSubscription(checked, checked.url ?? this.urls.webhook());
    return this.client.create('create webhook subscription', PATH, body);
  }

  /** Reads a subscription. */
  async get(id: string): Promise<WebhookSubscription> {
    const operation = 'get webhook subscription';
    const body = await this.client.read(operation, `${PATH}/${resourceId(id)}`);
    return readWebhookSubscription(expectEnvelope(operation, body, id));
  }
}
