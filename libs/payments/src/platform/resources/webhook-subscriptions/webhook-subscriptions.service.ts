import type { ApiVersion, CurrentSettings } from '../../../work/payments.settings.js';
import type { CallbackUrls } from '../../../work/callback-urls.js';
import type { CreatedResource, PlatformClient } from '../../platform-client.js';
import { expectEnvelope } from '../../envelope.reader.js';
import { validateInput } from '../../../work/validate-input.js';
import { VersionedCollection } from '../../versioned-collection.js';
import { CreateWebhookSubscriptionDto } from './create-webhook-subscription.dto.js';
import {
  readWebhookSubscription,
  toWireWebhookSubscription,
  type WebhookSubscription,
} from './webhook-subscription.resource.js';
import { Concealed } from '../../../work/concealed.decorator.js';

/**
 * Subscriptions to webhooks. Several may cover one till: its money still emits one event.
 * @example
 * await subscriptions.create({ eventType: 'buygoods_transaction_received', scope: 'till', scopeReference: '514459' });
 * @see docs/guide.md#deliveries
 * @publicApi
 */
@Concealed()
export class WebhookSubscriptionsService {
  private readonly collection: VersionedCollection;

  constructor(
    private readonly client: PlatformClient,
    private readonly urls: CallbackUrls,
    private readonly settings: CurrentSettings,
  ) {
    const version = (): ApiVersion => settings.current.apiVersions.webhookSubscriptions;
    this.collection = new VersionedCollection(client, 'webhook_subscriptions', version);
  }

  /**
   * Subscribes to an event type.
   * @throws PaymentsValidationError before anything is sent
   * @throws UnknownOutcomeError when it may have happened; a second subscription does no harm
   */
  async create(dto: CreateWebhookSubscriptionDto): Promise<CreatedResource> {
    const checked = validateInput(CreateWebhookSubscriptionDto, dto);
    const body = toWireWebhookSubscription(checked, checked.url ?? this.webhookUrl());
    return this.client.create('create webhook subscription', this.collection.path, body, 'other');
  }

  /** The URL of our webhooks, for the platform's portal or a subscription. With URL secrets set it contains a secret. */
  webhookUrl(): string {
    return this.urls.webhook(this.settings.current.account);
  }

  /** Reads a subscription. */
  async get(id: string): Promise<WebhookSubscription> {
    const operation = 'get webhook subscription';
    const body = await this.collection.read(operation, id);
    return readWebhookSubscription(expectEnvelope(operation, body, id));
  }
}
