import { Injectable } from '@nestjs/common';
import { AnomaliesStore, ANOMALY } from '../store/anomalies.store.js';
import { AccountRegistry } from '../accounts/account-registry.js';
import type { ArrivingDelivery } from '../ledger/arriving-delivery.js';
import { Runtime } from '../runtime/clock.js';
import { BareResultsService } from './bare-results.service.js';
import { CallbackResultsService, type ResultName } from './callback-results.service.js';
import type { DeliveryOutcome } from './delivery-outcome.js';
import type { Message } from './delivery-parser.js';
import type { ClaimedDelivery, NewDelivery } from '../store/deliveries.store.js';
import { WebhookNoticesService } from './webhook-notices.service.js';
import { WebhookTransactionsService } from './webhook-transactions.service.js';

/** Applies what a delivery says, by the kind of its message. */
@Injectable()
export class MessageApplier {
  constructor(
    private readonly results: CallbackResultsService,
    private readonly bareResults: BareResultsService,
    private readonly webhooks: WebhookTransactionsService,
    private readonly notices: WebhookNoticesService,
    private readonly anomaliesStore: AnomaliesStore,
    private readonly accounts: AccountRegistry,
    private readonly runtime: Runtime,
  ) {}

  async apply(delivery: ClaimedDelivery, message: Message): Promise<DeliveryOutcome> {
    switch (message.kind) {
      case 'unrecognised':
        return {
          kind: 'unrecognised',
          why: message.why ?? `this version does not know ${message.topic ?? 'its format'}`,
        };
      case 'unproven': {
        const { topic, status } = message;
        await this.anomaly(delivery, ANOMALY.unprovenStatus(status, topic));
        return {
          kind: 'applied',
          note: `its status, ${status}, does not say that money moved`,
        };
      }
      case 'result':
        return (
          (await this.results.apply(delivery, message.resource)) ??
          this.bareResults.apply(delivery, message.resource)
        );
      case 'transaction':
      case 'notice': {
        if (this.isPastRetention(delivery, message.at)) {
          await this.anomaly(delivery, ANOMALY.olderThanRetention(message.topic));
          return {
            kind: 'applied',
            note: 'what it reports is older than retention.dedupeForMs: no event is emitted',
          };
        }
        if (message.kind === 'transaction') return this.webhooks.apply(delivery, message);
        return this.notices.apply(delivery, message);
      }
    }
  }

  /**
   * Applies a signed delivery before it is stored, if one commit does all of it: a result of an operation, or the webhook of its money. If not,
   * nothing happens: it is stored first, and applied then.
   */
  async applyAtOnce(
    delivery: NewDelivery,
    message: Message,
    arriving: ArrivingDelivery,
  ): Promise<void> {
    if (message.kind === 'result')
      await this.results.applyAtOnce(delivery, message.resource, arriving);
    if (message.kind === 'transaction' && !this.isPastRetention(delivery, message.at))
      await this.webhooks.applyAtOnce(delivery, message, arriving);
  }

  /** True when the operation or request that a result names exists now. If not, the delivery need not be applied. */
  async isNamed(delivery: ClaimedDelivery, name: ResultName): Promise<boolean> {
    return (
      (await this.results.isOfOperation(delivery, name)) || this.bareResults.isOurs(delivery, name)
    );
  }

  /** True when retention may have deleted the record of the money that a webhook reports, so that it would look new. */
  private isPastRetention({ account }: NewDelivery | ClaimedDelivery, at: Date | null): boolean {
    const { dedupeForMs } = this.accounts.settings(account).retention;
    return at !== null && this.runtime.now() - at.getTime() > dedupeForMs;
  }

  private async anomaly({ account, id }: ClaimedDelivery, what: string): Promise<void> {
    await this.anomaliesStore.record(account, what, id);
  }
}
