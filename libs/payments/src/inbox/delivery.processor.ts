import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnModuleDestroy,
} from '@nestjs/common';
import { Runtime } from '../runtime/runtime.js';
import { WorkLoop } from '../events/work.loop.js';
import { newEvent } from '../ledger/ledger.events.js';
import { ClosingSignal } from '../http/closing.signal.js';
import { LedgerFeed } from '../ledger/ledger.feed.js';
import {
  PaymentsStore,
  type ClaimedDelivery,
  type ClaimOutcome,
  type DeliveryKind,
} from '../ledger/payments.store.js';
import { RESOLVED_OPTIONS } from '../payments.constants.js';
import type { ResolvedPaymentsOptions } from '../payments.options.js';
import { readDelivery, type Message } from './delivery.reader.js';
import { ResultSettler } from './result.settler.js';
import { WebhookSettler } from './webhook.settler.js';

const CONCURRENCY = 50;
const IDLE_MS = 500;

/**
 * A claim whose answer was lost with a connection is nobody's until its lease ends: it is short. A delivery that takes
 * longer may be taken by two replicas, and is then told once all the same.
 */
export const LEASE_MS = 30_000;

/** Wait before the first repeat; it doubles up to the longest. */
const FIRST_RETRY_MS = 500;
const LONGEST_RETRY_MS = 60_000;

/** A delivery that fails to be taken for reasons of ours or of the platform is tried for as long as a payment waits. */
const TRY_FOR_MS = 24 * 3_600_000;

/** Understands stored deliveries, each until it is taken or recognised as unknown. */
@Injectable()
export class DeliveryProcessor implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('Tillkit');
  private readonly loops: readonly WorkLoop<ClaimedDelivery>[];

  constructor(
    private readonly store: PaymentsStore,
    private readonly feed: LedgerFeed,
    private readonly closing: ClosingSignal,
    private readonly results: ResultSettler,
    private readonly webhooks: WebhookSettler,
    @Inject(RESOLVED_OPTIONS) private readonly options: ResolvedPaymentsOptions,
    private readonly runtime: Runtime,
  ) {
    this.loops = [this.loopOf('callback'), this.loopOf('webhook')];
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.store.init();
    if (this.options.background) for (const loop of this.loops) loop.start();
  }

  async onModuleDestroy(): Promise<void> {
    this.closing.close();
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }

  /** Each kind has a line and workers of its own: webhooks that wait for a payment hold up no callback. */
  private loopOf(kind: DeliveryKind): WorkLoop<ClaimedDelivery> {
    return new WorkLoop<ClaimedDelivery>({
      runtime: this.runtime,
      name: `${kind}s`,
      concurrency: CONCURRENCY,
      idleMs: IDLE_MS,
      news: this.feed.deliveries$,
      claim: (limit) => this.store.claimDeliveries(this.options.account, kind, limit, LEASE_MS),
      work: (delivery) => this.process(delivery),
    });
  }

  private async process(delivery: ClaimedDelivery): Promise<void> {
    const message = readDelivery(delivery.body);
    const outcome = await this.outcomeOf(delivery, message);
    if (outcome.kind === 'given_up') await this.tellUnrecognised(delivery, message, outcome.error);
    await this.store.finishDelivery(delivery, outcome);
  }

  private async outcomeOf(delivery: ClaimedDelivery, message: Message): Promise<ClaimOutcome> {
    if (message.kind === 'unrecognised') {
      return {
        kind: 'given_up',
        error: `${message.topic ?? 'its shape'} is not known to this version`,
      };
    }
    if (message.kind === 'unproven') {
      const { topic, status, reference } = message;
      await this.store.count(delivery.account, `status ${status} on ${topic}`, reference ?? '');
      return { kind: 'done', note: `its status, ${status}, does not say that money moved` };
    }
    if (message.kind === 'transaction' && this.isForgotten(message.at)) {
      await this.store.count(delivery.account, `${message.topic} from long ago`, delivery.id);
      return { kind: 'done', note: 'older than what is remembered: no event is emitted for it' };
    }
    try {
      return await this.take(delivery, message);
    } catch (error) {
      const words = error instanceof Error ? error.message : String(error);
      if (delivery.ageMs > TRY_FOR_MS) return { kind: 'given_up', error: words };
      return this.retry(delivery, words);
    }
  }

  private async take(
    delivery: ClaimedDelivery,
    message: Message & { kind: 'result' | 'transaction' },
  ): Promise<ClaimOutcome> {
    if (message.kind === 'result') {
      const settled = await this.results.settle(delivery, message.resource);
      if (settled === 'unrecognised')
        return { kind: 'given_up', error: `type ${message.resource.type} is not known` };
      if (settled === 'unmatched')
        return this.unmatched(delivery, 'no payment or request of this account is named by it');
      return { kind: 'done' };
    }
    const taken = await this.webhooks.settle(delivery, message);
    switch (taken.kind) {
      case 'taken':
        return { kind: 'done' };
      case 'nameless':
        return {
          kind: 'given_up',
          error: 'the transaction has no reference, id or till to be known by',
        };
      case 'wait':
        return {
          kind: 'retry',
          inMs: taken.inMs,
          error: 'a payment that it may be the money of has no outcome yet',
        };
      case 'unconfirmed':
        return this.unmatched(delivery, 'the platform does not list this transaction');
    }
  }

  /** Whether the key of its money may have been forgotten by now, so that it would seem to be new. */
  private isForgotten(at: Date | null): boolean {
    return at !== null && this.runtime.now() - at.getTime() > this.options.retention.dedupeForMs;
  }

  /** Its payment may be on the way: a restored backup, a host transaction that is still open. */
  private unmatched(delivery: ClaimedDelivery, error: string): ClaimOutcome {
    return delivery.ageMs > this.options.deliveries.unmatchedForMs
      ? { kind: 'given_up', error }
      : this.retry(delivery, error);
  }

  private retry({ attempts }: ClaimedDelivery, error: string): ClaimOutcome {
    const wait = Math.min(LONGEST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempts - 1, 20));
    return { kind: 'retry', inMs: this.runtime.jittered(wait), error };
  }

  private async tellUnrecognised(
    delivery: ClaimedDelivery,
    message: Message,
    error: string,
  ): Promise<void> {
    const { account, id, kind } = delivery;
    const topic = topicOf(message);
    this.logger.warn(`${kind} ${id} is kept and not understood: ${error}`);
    await this.store.count(account, `unrecognised ${topic ?? kind}`, id);
    const subject = { account, stream: id, via: kind } as const;
    const event = newEvent('delivery.unrecognised', subject, { deliveryId: id, topic });
    await this.store.commit({ account, events: [event], history: [] });
    this.feed.committed({ events: 1 });
  }
}

function topicOf(message: Message): string | null {
  return message.kind === 'result' ? message.resource.type : message.topic;
}
