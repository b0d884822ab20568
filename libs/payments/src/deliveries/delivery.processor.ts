import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AnomaliesStore } from '../anomalies/anomalies.store.js';
import { ANOMALY } from '../anomalies/anomaly.kinds.js';
import { LedgerCommits } from '../ledger/ledger.commits.js';
import { LedgerSignals } from '../ledger/ledger.signals.js';
import { namesOf, PaymentsAccounts } from '../payments.accounts.js';
import { DELIVERY_WORK, doubled } from '../runtime/backoff.js';
import type { ClaimOutcome } from '../runtime/claim.js';
import { Runtime } from '../runtime/runtime.js';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';
import { WorkLoop } from '../runtime/work.loop.js';
import { CallbackResultsService } from './callback-results.service.js';
import { deliveryEvent } from './deliveries.events.js';
import { DeliveriesStore, type ClaimedDelivery, type DeliveryKind } from './deliveries.store.js';
import type { DeliveryOutcome } from './delivery.outcome.js';
import { parseDelivery, type Message } from './delivery.parser.js';
import { WebhookTransactionsService } from './webhook-transactions.service.js';
import { SafeLogger } from '../runtime/safe.logger.js';

/** Deliveries of one account that are processed at the same time. */
const CONCURRENCY = 50;

/** Processes stored deliveries: parses each and applies it, until it is done or unrecognised. */
@Injectable()
export class DeliveryProcessor implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new SafeLogger();
  private readonly loops: readonly WorkLoop<ClaimedDelivery>[];

  constructor(
    private readonly deliveriesStore: DeliveriesStore,
    private readonly anomaliesStore: AnomaliesStore,
    private readonly commits: LedgerCommits,
    private readonly signals: LedgerSignals,
    private readonly shutdown: ShutdownSignal,
    private readonly results: CallbackResultsService,
    private readonly webhooks: WebhookTransactionsService,
    private readonly accounts: PaymentsAccounts,
    private readonly runtime: Runtime,
  ) {
    this.loops = [this.loopOf('callback'), this.loopOf('webhook')];
  }

  onApplicationBootstrap(): void {
    if (this.accounts.inBackground().length === 0) return;
    for (const loop of this.loops) loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  /** Each kind has its own queue and workers, so that webhooks that wait for a payment delay no callback. */
  private loopOf(kind: DeliveryKind): WorkLoop<ClaimedDelivery> {
    return new WorkLoop<ClaimedDelivery>({
      runtime: this.runtime,
      name: `${kind}s`,
      accounts: () => namesOf(this.accounts.inBackground()),
      concurrency: () => CONCURRENCY,
      idleMs: () => DELIVERY_WORK.idleMs,
      wakeUps: this.signals.deliveries$,
      claim: (accounts, limit) =>
        this.deliveriesStore.claim(accounts, kind, limit, DELIVERY_WORK.leaseMs),
      work: (delivery) => this.process(delivery),
    });
  }

  private async process(delivery: ClaimedDelivery): Promise<void> {
    const message = parseDelivery(delivery.body);
    const outcome = await this.claimOutcomeOf(delivery, message);
    if (outcome.kind === 'given_up') await this.emitUnrecognised(delivery, message, outcome.error);
    await this.deliveriesStore.finish(delivery, outcome);
  }

  /** How the claim ends. A delivery that we or the platform failed to process is retried. */
  private async claimOutcomeOf(delivery: ClaimedDelivery, message: Message): Promise<ClaimOutcome> {
    try {
      const outcome = await this.apply(delivery, message);
      switch (outcome.kind) {
        case 'applied':
          return { kind: 'done', ...(outcome.note && { note: outcome.note }) };
        case 'unrecognised':
          return { kind: 'given_up', error: outcome.why };
        case 'unmatched':
          return this.unmatched(delivery, outcome.why);
        case 'wait':
          return { kind: 'retry', inMs: outcome.inMs, error: outcome.why };
      }
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      if (delivery.ageMs > DELIVERY_WORK.tryForMs) return { kind: 'given_up', error: text };
      return this.retry(delivery, text);
    }
  }

  private async apply(delivery: ClaimedDelivery, message: Message): Promise<DeliveryOutcome> {
    switch (message.kind) {
      case 'unrecognised':
        return {
          kind: 'unrecognised',
          why: `this version does not know ${message.topic ?? 'its format'}`,
        };
      case 'unproven': {
        const { topic, status, reference } = message;
        await this.anomaly(delivery, ANOMALY.unprovenStatus(status, topic), reference ?? '');
        return {
          kind: 'applied',
          note: `its status, ${status}, does not say that money moved`,
        };
      }
      case 'result':
        return this.results.apply(delivery, message.resource);
      case 'transaction': {
        if (!this.isPastRetention(delivery, message.at))
          return this.webhooks.apply(delivery, message);
        await this.anomaly(delivery, ANOMALY.olderThanRetention(message.topic), delivery.id);
        return {
          kind: 'applied',
          note: 'its transaction is older than retention.dedupeForMs: no event is emitted',
        };
      }
    }
  }

  /** Whether retention may have deleted the transaction's record, so that the transaction would look new. */
  private isPastRetention({ account }: ClaimedDelivery, at: Date | null): boolean {
    const { dedupeForMs } = this.accounts.of(account).retention;
    return at !== null && this.runtime.now() - at.getTime() > dedupeForMs;
  }

  /** Its payment may appear later: from a restored backup, or from an open transaction of the host. */
  private unmatched(delivery: ClaimedDelivery, error: string): ClaimOutcome {
    const { unmatchedForMs } = this.accounts.of(delivery.account).deliveries;
    return delivery.ageMs > unmatchedForMs
      ? { kind: 'given_up', error }
      : this.retry(delivery, error);
  }

  private retry({ attempts }: ClaimedDelivery, error: string): ClaimOutcome {
    const wait = doubled(DELIVERY_WORK.firstRetryMs, DELIVERY_WORK.longestRetryMs, attempts);
    return { kind: 'retry', inMs: this.runtime.jittered(wait), error };
  }

  private async emitUnrecognised(
    delivery: ClaimedDelivery,
    message: Message,
    error: string,
  ): Promise<void> {
    const { account, id, kind } = delivery;
    const topic = topicOf(message);
    // A captured delivery can be posted again and again.
    if (delivery.duplicates === 0)
      this.logger.warn(`${kind} ${id} is stored but was not understood: ${error}`);
    await this.anomaliesStore.record(account, ANOMALY.unrecognised(topic ?? kind), id);
    const subject = { account, stream: id, via: kind } as const;
    const event = deliveryEvent('delivery.unrecognised', subject, { deliveryId: id, topic });
    await this.commits.commit({ account, events: [event], history: [] });
  }

  private anomaly({ account }: ClaimedDelivery, what: string, example: string): Promise<void> {
    return this.anomaliesStore.record(account, what, example);
  }
}

function topicOf(message: Message): string | null {
  return message.kind === 'result' ? message.resource.type : message.topic;
}
