import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { AnomaliesStore } from '../anomalies/anomalies.store.js';
import { ANOMALY } from '../anomalies/anomaly.kinds.js';
import { KnownRecords } from '../ledger/known.records.js';
import { LedgerCommits } from '../ledger/ledger.commits.js';
import type { DeliveryKind, NewDelivery } from '../ledger/new-delivery.js';
import { LedgerSignals } from '../ledger/ledger.signals.js';
import { namesOf, PaymentsAccounts } from '../payments.accounts.js';
import { StoreUnavailableError } from '../payments.errors.js';
import { DELIVERY_WORK, doubled, TILL_MONEY } from '../runtime/backoff.js';
import type { ClaimOutcome } from '../runtime/claim.js';
import { Runtime } from '../runtime/runtime.js';
import { ShutdownSignal } from '../runtime/shutdown.signal.js';
import { WorkLookout } from '../runtime/work.lookout.js';
import { WorkLoop } from '../runtime/work.loop.js';
import { CallbackResultsService } from './callback-results.service.js';
import { deliveryEvent } from './deliveries.events.js';
import { DeliveriesStore, type ClaimedDelivery } from './deliveries.store.js';
import type { DeliveryOutcome } from './delivery.outcome.js';
import { parseDelivery, type Message } from './delivery.parser.js';
import { PromptChangesService } from './prompt-changes.service.js';
import { WebhookTransactionsService } from './webhook-transactions.service.js';
import { SafeLogger } from '../runtime/safe.logger.js';

/** Deliveries of one account that are processed at the same time. */
const CONCURRENCY = 50;

/** Processes stored deliveries: parses each and applies it, until it is done or unrecognised. */
@Injectable()
export class DeliveryProcessor implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new SafeLogger();
  private isWorking = false;
  private readonly loops: Readonly<Record<DeliveryKind, WorkLoop<ClaimedDelivery>>>;
  /** Deliveries of each kind that this process stores now, or that wait here for their payment. */
  private readonly reserved: Record<DeliveryKind, number> = { callback: 0, webhook: 0 };
  /** Ends the waits for a payment. */
  private readonly waits = new Set<() => void>();

  constructor(
    private readonly deliveriesStore: DeliveriesStore,
    private readonly anomaliesStore: AnomaliesStore,
    private readonly prompts: PromptChangesService,
    private readonly known: KnownRecords,
    private readonly commits: LedgerCommits,
    private readonly signals: LedgerSignals,
    private readonly shutdown: ShutdownSignal,
    private readonly results: CallbackResultsService,
    private readonly webhooks: WebhookTransactionsService,
    private readonly accounts: PaymentsAccounts,
    private readonly lookout: WorkLookout,
    private readonly runtime: Runtime,
  ) {
    this.loops = { callback: this.loopOf('callback'), webhook: this.loopOf('webhook') };
  }

  onApplicationBootstrap(): void {
    if (this.accounts.inBackground().length === 0) return;
    for (const loop of Object.values(this.loops)) loop.start();
    this.isWorking = true;
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.close();
    this.isWorking = false;
    for (const end of this.waits) end();
    await Promise.all(Object.values(this.loops).map((loop) => loop.stop()));
  }

  /**
   * Stores a delivery that arrives now in one commit with what it changes, if this process knows that without a read. False when it
   * does not: then nothing is stored.
   */
  async applyAtOnce(delivery: NewDelivery): Promise<boolean> {
    if (!this.isWorkingFor(delivery)) return false;
    const prepared = await this.prompts.changeOf(delivery, parseDelivery(delivery.body));
    if (!prepared) return false;
    try {
      const { leaseMs } = DELIVERY_WORK;
      const result = await this.commits.commitWithDelivery(prepared, delivery, leaseMs);
      if (result.kind === 'stored') this.take(delivery, result);
      return result.kind !== 'duplicate';
    } catch (error) {
      if (error instanceof StoreUnavailableError) throw error;
      return this.notAtOnce(delivery, error);
    }
  }

  /** The lease of a delivery that is stored now, if this process has room to process it; then `release` must follow. */
  reserve(delivery: NewDelivery): number | undefined {
    const { kind } = delivery;
    const waiting = this.loops[kind].waiting + this.reserved[kind];
    if (!this.isWorkingFor(delivery) || waiting >= CONCURRENCY) return undefined;
    this.reserved[kind] += 1;
    return DELIVERY_WORK.leaseMs;
  }

  release({ kind }: NewDelivery): void {
    this.reserved[kind] -= 1;
  }

  /** Processes a delivery that this process has stored and claimed. */
  take(delivery: NewDelivery, { token, receivedAt }: { token: string; receivedAt: Date }): void {
    const counts = { attempts: 1, duplicates: 0, ageMs: 0, lastError: null };
    const record = { ...delivery, ...counts, token, receivedAt, state: 'pending' } as const;
    this.takeInTime(record, this.runtime.elapsed());
  }

  /** A webhook that comes before the result of its payment waits for it here, where it costs nothing. */
  private takeInTime(delivery: ClaimedDelivery, storedAt: number): void {
    const { kind } = delivery;
    const ageMs = this.runtime.elapsed() - storedAt;
    const leftMs = TILL_MONEY.retryAtMs[0] - ageMs;
    const expected = this.prompts.expectedBy(delivery, parseDelivery(delivery.body));
    if (!expected || leftMs <= 0 || !this.isWorking) {
      this.loops[kind].take([{ ...delivery, ageMs }]);
      return;
    }
    this.reserved[kind] += 1;
    const end = (): void => {
      this.waits.delete(end);
      cancelTimer();
      cancelWait();
      this.reserved[kind] -= 1;
      this.takeInTime(delivery, storedAt);
    };
    const cancelTimer = this.runtime.timer(leftMs, end, { background: true });
    const cancelWait = this.known.afterChange(expected, end);
    this.waits.add(end);
  }

  private isWorkingFor({ account }: NewDelivery): boolean {
    return this.isWorking && this.accounts.of(account).background;
  }

  /** Whatever is wrong with a delivery: it must be stored. Its processing then says what is wrong. */
  private notAtOnce({ kind, id }: NewDelivery, error: unknown): false {
    this.logger.warn(`${kind} ${id} could not be applied at once: ${String(error)}`);
    return false;
  }

  /** Each kind has its own queue and workers, so that webhooks that wait for a payment delay no callback. */
  private loopOf(kind: DeliveryKind): WorkLoop<ClaimedDelivery> {
    return new WorkLoop<ClaimedDelivery>({
      runtime: this.runtime,
      name: `${kind}s`,
      accounts: () => namesOf(this.accounts.inBackground()),
      concurrency: () => CONCURRENCY,
      wakeUps: this.signals.deliveries$,
      lookout: this.lookout,
      isDue: (work) => (kind === 'callback' ? work.callbacks : work.webhooks),
      claim: (accounts, limit) =>
        this.deliveriesStore.claim(accounts, kind, limit, DELIVERY_WORK.leaseMs),
      work: (delivery) => this.process(delivery),
    });
  }

  private async process(delivery: ClaimedDelivery): Promise<void> {
    const message = parseDelivery(delivery.body);
    const outcome = await this.claimOutcomeOf(delivery, message);
    if (outcome === 'finished') return;
    if (outcome.kind === 'given_up') await this.giveUp(delivery, message, outcome);
    else await this.deliveriesStore.finish(delivery, outcome);
    if (outcome.kind === 'retry') this.lookout.expect(outcome.inMs);
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
      this.logger.warn(`${kind} ${id} is stored but was not understood: ${outcome.error}`);
    await this.anomaliesStore.record(account, ANOMALY.unrecognised(topic ?? kind), id);
    const subject = { account, stream: id, via: kind } as const;
    const event = deliveryEvent('delivery.unrecognised', subject, { deliveryId: id, topic });
    const finishes = { claim: delivery, outcome };
    await this.commits.commit({ change: { account, events: [event], history: [], finishes } });
  }

  private anomaly({ account }: ClaimedDelivery, what: string, example: string): Promise<void> {
    return this.anomaliesStore.record(account, what, example);
  }
}

function topicOf(message: Message): string | null {
  return message.kind === 'result' ? message.resource.type : message.topic;
}
