import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AnomaliesStore } from '../store/anomalies.store.js';
import { ANOMALY } from '../store/anomaly.kinds.js';
import { LedgerCommits } from '../ledger/ledger.commits.js';
import type { DeliveryKind, NewDelivery } from '../store/new-delivery.js';
import { LedgerSignals } from '../ledger/ledger.signals.js';
import type { AcceptedStatuses } from '../money/webhook-topics.js';
import { KnownAccounts } from '../work/known.accounts.js';
import { DELIVERY_WORK, doubled } from '../work/backoff.js';
import type { ClaimOutcome } from '../work/claim.js';
import { errorText } from '../work/error-text.js';
import { Runtime } from '../work/runtime.js';
import { ShutdownSignal } from '../work/shutdown.signal.js';
import { WorkLookout } from '../work/work.lookout.js';
import { WorkLoop } from '../work/work.loop.js';
import { CallbackResultsService } from './callback-results.service.js';
import { deliveryEvent } from '../store/deliveries.events.js';
import { DeliveriesStore, type ClaimedDelivery } from '../store/deliveries.store.js';
import type { DeliveryOutcome } from './delivery.outcome.js';
import { parseDelivery, type Message } from './delivery.parser.js';
import { PromptChangesService } from './prompt-changes.service.js';
import { accountAttributes } from '../work/telemetry/account.attributes.js';
import { inSpan } from '../work/telemetry/spans.js';
import { ATTRIBUTE, CONVENTION } from '../work/telemetry/telemetry.names.js';
import { processed, type Outcome } from '../work/telemetry/processed.js';
import { WebhookNoticesService } from './webhook-notices.service.js';
import { WebhookTransactionsService } from './webhook-transactions.service.js';
import { SafeLogger } from '../work/safe.logger.js';

/** Deliveries of one account that are processed at the same time. */
const CONCURRENCY = 50;

/** A claimed delivery, and what it says. */
export interface DeliveryTask {
  account: string;
  delivery: ClaimedDelivery;
  message: Message;
}

/** Processes stored deliveries: applies each, until it is done or unrecognised. */
@Injectable()
export class DeliveryProcessor implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new SafeLogger();
  private isWorking = false;
  /** Deliveries of each kind that this process has stored and not claimed, because it had no room. */
  private readonly left: Record<DeliveryKind, number> = { callback: 0, webhook: 0 };
  /** The kinds of which some may still wait in the store. */
  private readonly behind = new Set<DeliveryKind>();
  private readonly loops: Readonly<Record<DeliveryKind, WorkLoop<DeliveryTask>>>;

  constructor(
    private readonly deliveriesStore: DeliveriesStore,
    private readonly anomaliesStore: AnomaliesStore,
    private readonly prompts: PromptChangesService,
    private readonly commits: LedgerCommits,
    private readonly signals: LedgerSignals,
    private readonly shutdown: ShutdownSignal,
    private readonly results: CallbackResultsService,
    private readonly webhooks: WebhookTransactionsService,
    private readonly notices: WebhookNoticesService,
    private readonly accounts: KnownAccounts,
    private readonly lookout: WorkLookout,
    private readonly runtime: Runtime,
  ) {
    this.loops = { callback: this.loopOf('callback'), webhook: this.loopOf('webhook') };
  }

  onApplicationBootstrap(): void {
    if (!this.accounts.worksInBackground) return;
    for (const loop of Object.values(this.loops)) loop.start();
    this.isWorking = true;
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    this.isWorking = false;
    await Promise.all(Object.values(this.loops).map((loop) => loop.stop()));
  }

  /** Whether this process works on the deliveries of an account now. */
  isWorkingFor({ account }: NewDelivery): boolean {
    return this.isWorking && this.accounts.of(account).background;
  }

  /**
   * So many more deliveries of a kind may wait here for their turn. None while older ones wait in the store: they would wait as long as
   * new ones come.
   */
  roomFor(kind: DeliveryKind): number {
    return this.behind.has(kind) ? 0 : CONCURRENCY - this.loops[kind].waiting;
  }

  /** A delivery of this process waits in the store. */
  fallBehind(kind: DeliveryKind): void {
    this.left[kind] += 1;
    this.behind.add(kind);
  }

  /** Processes a delivery that is claimed. */
  take(task: DeliveryTask): void {
    this.loops[task.delivery.kind].take([task]);
  }

  /** Each kind has its own queue and workers, so that webhooks that wait for a payment delay no callback. */
  private loopOf(kind: DeliveryKind): WorkLoop<DeliveryTask> {
    return new WorkLoop<DeliveryTask>({
      runtime: this.runtime,
      name: `${kind}s`,
      accounts: () => this.accounts.inBackgroundNames(),
      concurrency: CONCURRENCY,
      wakeUps: this.signals.deliveries$,
      lookout: this.lookout,
      isDue: (work) => (kind === 'callback' ? work.callbacks : work.webhooks),
      claim: (accounts, limit) => this.claim(accounts, kind, limit),
      work: (task) => this.process(task),
    });
  }

  private async claim(
    accounts: readonly string[],
    kind: DeliveryKind,
    limit: number,
  ): Promise<DeliveryTask[]> {
    const { leaseMs } = DELIVERY_WORK;
    const left = this.left[kind];
    const startedAt = this.runtime.now();
    const claimed = await this.deliveriesStore.claim(accounts, kind, limit, leaseMs);
    if (claimed.length > 0) await this.traceBatch(kind, claimed, startedAt);
    const areAll = accounts === this.accounts.inBackgroundNames();
    if (areAll && claimed.length < limit && left === this.left[kind]) this.behind.delete(kind);
    return claimed.map((delivery) => ({
      account: delivery.account,
      delivery,
      message: parseDelivery(delivery.body, this.acceptedBy(delivery)),
    }));
  }

  /** A span of a claim that has found deliveries, linked with where each of them was received. */
  private traceBatch(
    kind: DeliveryKind,
    claimed: readonly ClaimedDelivery[],
    startedAt: number,
  ): Promise<void> {
    const attributes = {
      [CONVENTION.messagingSystem]: 'tillkit',
      [CONVENTION.messagingOperation]: 'receive',
      [CONVENTION.messagingOperationType]: 'receive',
      [CONVENTION.messagingDestination]: `${kind}s`,
      [CONVENTION.messagingBatch]: claimed.length,
    };
    const links = claimed.map(({ traceparent }) => traceparent);
    return inSpan(
      { name: `receive ${kind}s`, kind: 'client', attributes, links, trace: 'alone', startedAt },
      () => Promise.resolve(),
    );
  }

  private process({ account, delivery, message }: DeliveryTask): Promise<void> {
    const { id, kind, attempts, traceparent } = delivery;
    return processed(
      {
        destination: `${kind}s`,
        messageId: id,
        traceparent,
        attempts,
        account: accountAttributes(this.accounts, account),
        more: { [ATTRIBUTE.account]: account, [ATTRIBUTE.deliveryId]: id },
      },
      this.runtime,
      () => this.processOne(delivery, message),
    );
  }

  private async processOne(delivery: ClaimedDelivery, message: Message): Promise<Outcome> {
    const outcome = await this.claimOutcomeOf(delivery, message);
    if (outcome === 'finished') return { kind: 'done' };
    if (outcome.kind === 'given_up') await this.giveUp(delivery, message, outcome);
    else await this.deliveriesStore.finish(delivery, outcome);
    if (outcome.kind === 'retry') this.lookout.expect(outcome.inMs);
    return { kind: outcome.kind };
  }

  /** How the claim ends, unless a commit has finished it. A delivery that we or the platform failed to process is retried. */
  private async claimOutcomeOf(
    delivery: ClaimedDelivery,
    message: Message,
  ): Promise<ClaimOutcome | 'finished'> {
    try {
      const prepared = await this.prompts.changeOf(delivery, message);
      if (prepared) {
        const finishes = { claim: delivery, outcome: { kind: 'done' } } as const;
        const change = { ...prepared.change, finishes };
        if (await this.commits.commit({ ...prepared, change })) return 'finished';
      }
      const outcome = await this.apply(delivery, message);
      switch (outcome.kind) {
        case 'applied':
          if (outcome.isFinished) return 'finished';
          return { kind: 'done', ...(outcome.note && { note: outcome.note }) };
        case 'unrecognised':
          return { kind: 'given_up', error: outcome.why };
        case 'unmatched':
          return this.unmatched(delivery, outcome.why);
        case 'wait':
          return { kind: 'retry', inMs: outcome.inMs, error: outcome.why };
      }
    } catch (error) {
      const text = errorText(error);
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
        const { topic, status } = message;
        await this.anomaly(delivery, ANOMALY.unprovenStatus(status, topic));
        return {
          kind: 'applied',
          note: `its status, ${status}, does not say that money moved`,
        };
      }
      case 'result':
        return this.results.apply(delivery, message.resource);
      case 'transaction':
      case 'notice': {
        if (this.isPastRetention(delivery, message.at)) {
          await this.anomaly(delivery, ANOMALY.olderThanRetention(message.topic));
          return {
            kind: 'applied',
            note: 'what it reports is older than retention.dedupeForMs: no event is emitted',
          };
        }
        return message.kind === 'notice'
          ? this.notices.apply(delivery, message)
          : this.webhooks.apply(delivery, message);
      }
    }
  }

  private acceptedBy({ account }: ClaimedDelivery): AcceptedStatuses {
    return this.accounts.of(account).deliveries.acceptedStatuses;
  }

  /** Whether retention may have deleted the record of what a webhook reports, so that it would look new. */
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

  /** Ends the claim together with its event: a listener may want to have the delivery processed again. */
  private async giveUp(
    delivery: ClaimedDelivery,
    message: Message,
    outcome: ClaimOutcome & { kind: 'given_up' },
  ): Promise<void> {
    const { account, id, kind } = delivery;
    const topic = topicOf(message);
    // A captured delivery can be posted again and again.
    if (delivery.duplicates === 0)
      this.logger.seldom(
        'warn',
        'not understood',
        `a ${kind} is stored but was not understood: ${outcome.error}`,
        { account, deliveryId: id },
      );
    await this.anomaly(delivery, ANOMALY.unrecognised(topic ?? kind));
    const subject = { account, stream: id, via: kind } as const;
    const event = deliveryEvent('delivery.unrecognised', subject, { deliveryId: id, topic });
    const finishes = { claim: delivery, outcome };
    await this.commits.commit({ change: { account, events: [event], history: [], finishes } });
  }

  private anomaly({ account, id }: ClaimedDelivery, what: string): Promise<void> {
    return this.anomaliesStore.record(account, what, id);
  }
}

function topicOf(message: Message): string | null {
  return message.kind === 'result' ? message.resource.type : message.topic;
}
