import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { accountAttributes, AccountRegistry } from '../accounts/account-registry.js';
import { LedgerCommits, LedgerSignals } from '../ledger/ledger-commits.js';
import { PlatformClocks } from '../platform/platform-clock.js';
import { ClaimedWork } from '../queue/claimed-work.js';
import { DueWorkFinder } from '../queue/due-work-finder.js';
import { WorkLoop } from '../queue/work-loop.js';
import { DELIVERY_LEASE_MS } from '../ledger/arriving-delivery.js';
import { DAY, MINUTE, Runtime } from '../runtime/clock.js';
import { doubled } from '../runtime/retry.js';
import { errorText, SafeLogger } from '../runtime/logging.js';
import { ShutdownSignal } from '../runtime/shutdown-signal.js';
import { ATTRIBUTE, CONVENTION } from '../runtime/telemetry/metrics-list.js';
import { inSpan, processed } from '../runtime/telemetry/spans.js';
import { AnomaliesStore, ANOMALY } from '../store/anomalies.store.js';
import type { ClaimOutcome } from '../store/claim.js';
import {
  type ClaimedDelivery,
  DeliveriesStore,
  type DeliveryKind,
  type NewDelivery,
} from '../store/deliveries.store.js';
import { LARGE_BODY_BYTES, UnmatchedResults } from './callback-results.service.js';
import { deliveryEvent } from './deliveries.service.js';
import { type DeliveryOutcome, UNMATCHED } from './delivery-outcome.js';
import { type Message, parseDelivery, type Reading } from './delivery-parser.js';
import { MessageApplier } from './message-applier.js';

/** The wait before a delivery that we or the platform failed to process is tried again. It doubles. */
const RETRY = { firstMs: 500, longestMs: MINUTE } as const;

/** A delivery is retried for as long as an operation waits for evidence. */
const TRY_FOR_MS = DAY;

/** Parses the body of a delivery. */
type ReadMessage = () => Message | Promise<Message>;

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
    private readonly accounts: AccountRegistry,
    private readonly runtime: Runtime,
  ) {
    this.unmatchedResults = new UnmatchedResults(runtime);
  }

  /** Works on a claim until it has ended. @param read parses the body: it is called only if that is necessary */
  async work(delivery: ClaimedDelivery, read: ReadMessage): Promise<ClaimOutcome> {
    const said: Said = { topic: this.unmatchedResults.nameIn(delivery)?.type ?? null };
    const outcome = await this.claimOutcomeOf(delivery, read, said);
    if (outcome === 'finished' || outcome.kind !== 'retry') this.unmatchedResults.delete(delivery);
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
    const name = this.unmatchedResults.nameIn(delivery);
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

  /**
   * Returns how the claim ends, or `finished` when a commit has ended it. A delivery that we or the platform failed to process is retried.
   */
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
          if (outcome.isDeleted) return { kind: 'done', isDeleted: true };
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
      if (delivery.ageMs > TRY_FOR_MS) return { kind: 'given_up', error: text };
      return this.retry(delivery, text);
    }
  }

  /** Retries a delivery, because its payment may appear later: from a restored backup, or from an open transaction of the host. */
  private unmatched(delivery: ClaimedDelivery, error: string): ClaimOutcome {
    const { unmatchedForMs } = this.accounts.settings(delivery.account).deliveries;
    return delivery.ageMs > unmatchedForMs
      ? { kind: 'given_up', error }
      : this.retry(delivery, error);
  }

  private retry({ attempts }: ClaimedDelivery, error: string): ClaimOutcome {
    const wait = doubled(RETRY.firstMs, RETRY.longestMs, attempts);
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
    await this.commits.commit({ account, events: [event], history: [], finishes });
  }
}

function topicOf(message: Message): string | null {
  return message.kind === 'result' ? message.resource.type : message.topic;
}

/** Deliveries of one account that are processed at the same time. */
const CONCURRENCY = 50;

/** A claimed delivery, and how to read what it says. */
interface DeliveryTask {
  account: string;
  delivery: ClaimedDelivery;
  read: ReadMessage;
}

/** Claims stored deliveries and has each processed, until it is done or unrecognised. */
@Injectable()
export class DeliveryProcessor implements OnApplicationBootstrap, OnModuleDestroy {
  private isWorking = false;
  /** The deliveries that this process works on, or that wait here. Each kind has room of its own for bodies. */
  private readonly claimed = { callback: new ClaimedWork(), webhook: new ClaimedWork() };
  /** Large bodies are parsed one at a time, and requests of others are served between two of them. */
  private lastTurn: Promise<unknown> = Promise.resolve();
  private readonly loops: Readonly<Record<DeliveryKind, WorkLoop<DeliveryTask>>>;

  constructor(
    private readonly deliveriesStore: DeliveriesStore,
    private readonly claims: DeliveryClaims,
    private readonly signals: LedgerSignals,
    private readonly shutdown: ShutdownSignal,
    private readonly accounts: AccountRegistry,
    private readonly clocks: PlatformClocks,
    private readonly finder: DueWorkFinder,
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

  /** True when this process works on the deliveries of an account now. */
  isWorkingFor({ account }: NewDelivery): boolean {
    return this.isWorking && this.accounts.settings(account).background;
  }

  /**
   * Returns the lease of a delivery that is stored now, if this process has room to process it without a query that claims it; then `release` must
   * follow. It has none while older ones wait in the store: they would wait as long as new ones come.
   */
  reserve(delivery: NewDelivery): number | undefined {
    const { account, kind, body } = delivery;
    const claimed = this.claimed[kind];
    const hasRoom = this.loops[kind].waiting + claimed.reserved(kind) < CONCURRENCY;
    if (!this.isWorkingFor(delivery) || !hasRoom) return undefined;
    if (!claimed.mayClaim(kind, account, body.length)) return undefined;
    claimed.reserve(kind);
    return DELIVERY_LEASE_MS;
  }

  release({ kind }: NewDelivery): void {
    this.claimed[kind].release(kind);
  }

  /** A delivery of this process waits in the store. @param hasNoRoom whether that is because this process has no room for it */
  leave({ kind, body }: NewDelivery, hasNoRoom: boolean): void {
    this.claimed[kind].noteBytes(body.length);
    if (hasNoRoom) this.claimed[kind].leave(kind);
    this.signals.deliveries$.next();
  }

  /** Processes a delivery that this process has stored and claimed. */
  take(
    delivery: NewDelivery,
    message: Message,
    { token, receivedAt }: { token: string; receivedAt: Date },
  ): void {
    const { account, kind } = delivery;
    const counts = { attempts: 1, duplicates: 0, ageMs: 0, lastError: null };
    const claimed = { ...delivery, ...counts, token, receivedAt, state: 'pending' } as const;
    this.claimed[kind].add(kind, account, delivery.body.length);
    this.loops[kind].take([{ account, delivery: claimed, read: () => message }]);
  }

  /** Each kind has its own queue and workers, so that webhooks that wait for a payment delay no callback. */
  private loopOf(kind: DeliveryKind): WorkLoop<DeliveryTask> {
    return new WorkLoop<DeliveryTask>({
      runtime: this.runtime,
      name: `${kind}s`,
      accounts: () => this.accounts.inBackgroundNames(),
      concurrency: CONCURRENCY,
      keepsShares: true,
      mostNow: () => this.claimed[kind].mostNow,
      wakeUps: this.signals.deliveries$,
      finder: this.finder,
      isDue: (work) => (kind === 'callback' ? work.callbacks : work.webhooks),
      claim: (accounts, limit) => this.claim(accounts, kind, limit),
      work: (task) => this.process(task).finally(() => this.letGo(task)),
    });
  }

  private letGo({ account, delivery }: DeliveryTask): void {
    const { kind, body } = delivery;
    this.claimed[kind].remove(kind, account, body.length);
  }

  private async claim(
    room: readonly string[],
    kind: DeliveryKind,
    limit: number,
  ): Promise<DeliveryTask[]> {
    const claimed = this.claimed[kind];
    // We pass on the same list while all accounts have room, without a copy.
    const accounts = room.every((account) => claimed.hasRoom(account))
      ? room
      : room.filter((account) => claimed.hasRoom(account));
    const { lastLeft } = claimed;
    const startedAt = this.runtime.now();
    const deliveries = await this.deliveriesStore.claim(accounts, kind, limit, DELIVERY_LEASE_MS);
    if (deliveries.length > 0) await this.traceBatch(kind, deliveries, startedAt);
    const areAll = accounts === this.accounts.inBackgroundNames();
    if (areAll && deliveries.length < limit) claimed.caughtUp(kind, lastLeft);
    for (const { account, body } of deliveries) claimed.add(kind, account, body.length);
    return deliveries.map((delivery) => ({
      account: delivery.account,
      delivery,
      read: () => this.read(delivery),
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

  private async read(delivery: ClaimedDelivery): Promise<Message> {
    const { body } = delivery;
    if (body.length >= LARGE_BODY_BYTES)
      await (this.lastTurn = this.lastTurn.then(() => this.runtime.pause(0)));
    return parseDelivery(body, this.readingOf(delivery));
  }

  private process({ account, delivery, read }: DeliveryTask): Promise<void> {
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
      async () => {
        const outcome = await this.claims.work(delivery, read);
        if (outcome.kind === 'retry') this.finder.expect(outcome.inMs);
        return { kind: outcome.kind };
      },
    );
  }

  private readingOf({ account, ageMs }: ClaimedDelivery): Reading {
    return {
      accepted: this.accounts.settings(account).deliveries.acceptedStatuses,
      latest: this.clocks.clock(account).latestTime(ageMs),
    };
  }
}
