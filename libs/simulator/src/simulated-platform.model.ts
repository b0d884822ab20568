import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SimulatedClock } from './clock/clock.service.js';
import type { Deliveries } from './deliveries/deliveries.service.js';
import type { Faults } from './faults/faults.service.js';
import type { Handset } from './handsets/handset.model.js';
import type { Charge } from './incoming-payments/incoming-payments.store.js';
import type { Journal } from './journal/journal.service.js';
import type { ScenarioName } from './scenarios/scenarios.constants.js';
import type { RedirectServer } from './server/redirect.server.js';
import { InvalidInputError } from './simulator.errors.js';
import type { SimulatorSettings } from './simulator.options.js';
import { SimulatorParts } from './simulator.parts.js';
import type { WireObject } from './transactions/transaction.resource.js';
import type { TillPayment } from './transactions/till-payments.service.js';
import type { Transaction } from './transactions/transactions.store.js';
import type { WebhookSubscription } from './webhook-subscriptions/webhook-subscriptions.service.js';
import { sampleResource } from './webhook-events/sample.resources.js';
import { isEventType, type EventType } from './webhook-events/event-types.constants.js';

/** What tests, the control API and the pages do with a simulator that runs. */
export abstract class SimulatedPlatform {
  protected readonly parts: SimulatorParts;
  protected redirect: RedirectServer | undefined;
  protected redirectPort = 0;
  protected port = 0;

  protected constructor(protected readonly settings: SimulatorSettings) {
    this.parts = new SimulatorParts(settings, () => settings.publicUrl ?? this.url);
  }

  /** The base URL of the platform, without a slash at its end. */
  get url(): string {
    const host = this.settings.host.includes(':') ? `[${this.settings.host}]` : this.settings.host;
    return `${this.settings.tls ? 'https' : 'http'}://${host}:${this.port}`;
  }

  /** The plain-HTTP URL that redirects, when the platform speaks TLS; else null. */
  get redirectUrl(): string | null {
    return this.redirect ? `http://${this.settings.host}:${this.redirectPort}` : null;
  }

  get clientId(): string {
    return this.settings.clientId;
  }

  get clientSecret(): string {
    return this.settings.clientSecret;
  }

  /** The key that signs deliveries. */
  get apiKey(): string {
    return this.settings.apiKey;
  }

  /** What the draws of {@link faults} start from: give it to `start` to repeat a run. */
  get seed(): number {
    return this.settings.seed;
  }

  get tillNumbers(): readonly string[] {
    return this.parts.tills.numbers();
  }

  get clock(): SimulatedClock {
    return this.parts.clock;
  }

  get faults(): Faults {
    return this.parts.faults;
  }

  get journal(): Journal {
    return this.parts.journal;
  }

  get deliveries(): Deliveries {
    return this.parts.deliveries;
  }

  /** Sets the scenario of a phone number; `null` restores the one of its last digits. */
  scenario(phone: string, name: ScenarioName | null): void {
    this.parts.scenarios.override(phone, name);
  }

  /** The phone numbers whose scenario {@link scenario} has set. */
  scenarios(): Record<string, ScenarioName> {
    return this.parts.scenarios.overridden();
  }

  /** The phone of a customer. */
  handset(phone: string): Handset {
    return this.parts.handsets.of(phone);
  }

  /** The phones that were used so far. */
  handsets(): Handset[] {
    return this.parts.handsets.list();
  }

  /** Pays into a till without a payment request, and delivers webhooks to the subscriptions. @throws InvalidInputError */
  async payTill(payment: TillPayment): Promise<Transaction> {
    return this.parts.tillPayments.pay(payment);
  }

  /** Reverses a transaction and delivers webhooks to the subscriptions. @throws NotKnownError */
  async reverse(reference: string): Promise<Transaction> {
    return this.parts.money.reverse(reference);
  }

  /**
   * Sends any other webhook to its subscriptions. What the resource doesn't say is filled in.
   *
   * @returns the ids of the events, one per subscription.
   */
  async emit(eventType: EventType, resource: WireObject = {}): Promise<string[]> {
    if (!isEventType(eventType)) {
      throw new InvalidInputError(`"${String(eventType)}" is no event type: see EVENT_TYPES.`);
    }
    const sample = sampleResource(eventType, this.tillNumbers[0] ?? '', this.clock.now());
    return this.parts.events.publishResource(eventType, { ...sample, ...resource });
  }

  /** Every payment request that was carried out, and what really became of the money. */
  charges(): Charge[] {
    return this.parts.payments.charges();
  }

  /** All money that moved, also that of {@link payTill}. */
  transactions(): Transaction[] {
    return [...this.parts.transactions.all()];
  }

  /** The subscriptions, in the order in which they were made. */
  subscriptions(): WebhookSubscription[] {
    return this.parts.subscriptions.list();
  }

  /** Ends every token before its time: calls with them are answered 401 ExpiredAccessToken. */
  expireTokens(): void {
    this.parts.tokens.expireAll();
  }

  /** Resolves when nothing is in flight and nothing is due. */
  async idle(): Promise<void> {
    const { clock, activity } = this.parts;
    do {
      await activity.whenQuiet();
      // What follows an answer runs in a later turn: a retry that becomes due, a listener that sends.
      await nextTurn();
    } while (clock.runDue() || activity.count > 0);
  }
}
