import { Injectable } from '@nestjs/common';
import { LedgerCommits } from '../ledger/ledger-commits.js';
import { AnomaliesStore } from '../store/anomalies.store.js';
import { ANOMALY } from '../store/anomaly-kinds.js';
import { deliveryEvent } from '../store/deliveries.events.js';
import { DeliveriesStore, type ClaimedDelivery } from '../store/deliveries.store.js';
import { DELIVERY_WORK, doubled } from '../work/backoff.js';
import type { ClaimOutcome } from '../work/claim.js';
import { errorText } from '../work/error-text.js';
import { KnownAccounts } from '../work/known-accounts.js';
import { Runtime } from '../work/runtime.js';
import { SafeLogger } from '../work/safe-logger.js';
import { UNMATCHED, type DeliveryOutcome } from './delivery-outcome.js';
import type { Message } from './delivery-parser.js';
import { MessageApplier } from './message-applier.js';
import { UnmatchedResults } from './unmatched-results.js';

/** Parses the body of a delivery. */
export type ReadMessage = () => Message | Promise<Message>;

/** What is known of what a delivery says. */
interface Said {
  topic: string | null;
}

/** Decides how the claim of a delivery ends: it is done, retried later, or given up. */
@Injectable()
export class DeliveryClaims {
  private readonly logger = new SafeLogger();
  private readonly unmatchedResults: UnmatchedResults;

  constructor(
    private readonly deliveriesStore: DeliveriesStore,
    private readonly anomaliesStore: AnomaliesStore,
    private readonly commits: LedgerCommits,
    private readonly applier: MessageApplier,
    private readonly accounts: KnownAccounts,
    private readonly runtime: Runtime,
  ) {
    this.unmatchedResults = new UnmatchedResults(runtime);
  }

  /** Works on a claim until it has ended. @param read parses the body: it is called only if that is necessary */
  async work(delivery: ClaimedDelivery, read: ReadMessage): Promise<ClaimOutcome> {
    const said: Said = { topic: this.unmatchedResults.of(delivery)?.type ?? null };
    const outcome = await this.claimOutcomeOf(delivery, read, said);
    if (outcome === 'finished' || outcome.kind !== 'retry') this.unmatchedResults.forget(delivery);
    if (outcome === 'finished') return { kind: 'done' };
    if (outcome.kind === 'given_up') await this.giveUp(delivery, said, outcome);
    else await this.deliveriesStore.finish(delivery, outcome);
    return outcome;
  }

  private async apply(
    delivery: ClaimedDelivery,
    read: ReadMessage,
    said: Said,
  ): Promise<DeliveryOutcome> {
    const name = this.unmatchedResults.of(delivery);
    if (name && !(await this.applier.isNamed(delivery, name))) {
      this.unmatchedResults.keepOn(delivery, name);
      return UNMATCHED;
    }
    const message = await read();
    said.topic = topicOf(message);
    const outcome = await this.applier.apply(delivery, message);
    if (outcome.kind === 'unmatched') this.unmatchedResults.keep(delivery, message);
    return outcome;
  }

  /** How the claim ends, unless a commit has finished it. A delivery that we or the platform failed to process is retried. */
  private async claimOutcomeOf(
    delivery: ClaimedDelivery,
    read: ReadMessage,
    said: Said,
  ): Promise<ClaimOutcome | 'finished'> {
    try {
      const outcome = await this.apply(delivery, read, said);
      switch (outcome.kind) {
        case 'applied':
          if (outcome.isFinished) return 'finished';
          if (outcome.isErased) return { kind: 'done', isErased: true };
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
    { topic }: Said,
    outcome: ClaimOutcome & { kind: 'given_up' },
  ): Promise<void> {
    const { account, id, kind } = delivery;
    // A captured delivery can be posted again and again.
    if (delivery.duplicates === 0)
      this.logger.seldom(
        'warn',
        'not understood',
        `a ${kind} is stored but was not understood: ${outcome.error}`,
        { account, deliveryId: id },
      );
    await this.anomaliesStore.record(account, ANOMALY.unrecognised(topic ?? kind), id);
    const subject = { account, stream: id, via: kind } as const;
    const event = deliveryEvent('delivery.unrecognised', subject, { deliveryId: id, topic });
    const finishes = { claim: delivery, outcome };
    await this.commits.commit({ change: { account, events: [event], history: [], finishes } });
  }
}

function topicOf(message: Message): string | null {
  return message.kind === 'result' ? message.resource.type : message.topic;
}
