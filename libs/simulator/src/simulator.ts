import { setImmediate as nextTurn } from 'node:timers/promises';
import { ControlServer } from './control/control.server.js';
import { deliveryControls } from './control/deliveries.control.js';
import { handsetControls } from './control/handset.control.js';
import { JournalStream } from './control/journal.stream.js';
import { platformControls } from './control/platform.control.js';
import type { SimulatedClock } from './clock/simulated.clock.js';
import type { Deliveries } from './deliveries/deliveries.service.js';
import type { Faults } from './faults/faults.service.js';
import type { Handset } from './handsets/handset.model.js';
import type { Charge } from './incoming-payments/incoming-payments.ledger.js';
import type { Journal } from './journal/journal.service.js';
import { PagesServer } from './pages/pages.server.js';
import type { ScenarioName } from './scenarios/scenarios.table.js';
import { RedirectServer } from './server/redirect.server.js';
import { InvalidInputError } from './simulator.errors.js';
import {
  resolveOptions,
  type SimulatorOptions,
  type SimulatorSettings,
} from './simulator.options.js';
import { SimulatorParts } from './simulator.parts.js';
import type { WireObject } from './transactions/transaction.resource.js';
import type { TillPayment } from './transactions/till-payments.service.js';
import type { Transaction } from './transactions/transactions.ledger.js';
import type { WebhookSubscription } from './webhook-subscriptions/webhook-subscriptions.service.js';
import { sampleResource } from './webhook-events/sample.resources.js';
import { isEventType, type EventType } from './webhook-events/event-types.table.js';

/**
 * A strict mobile-money platform over real HTTP, with its own clock, customers and faults.
 *
 * @example
 * const simulator = await Simulator.start({ timings: INSTANT_TIMINGS });
 * @publicApi
 */
export class Simulator {
  private readonly parts: SimulatorParts;
  private readonly stream: JournalStream;
  private redirect: RedirectServer | undefined;
  private redirectPort = 0;
  private port = 0;
  private stopping: Promise<void> | undefined;

  private constructor(private readonly settings: SimulatorSettings) {
    this.parts = new SimulatorParts(settings, () => settings.publicUrl ?? this.url);
    const { app } = this.parts.server;
    this.stream = new JournalStream(app, this.parts.journal);
    const control = new ControlServer(app);
    control.add(platformControls(this));
    control.add(handsetControls(this));
    control.add(deliveryControls(this));
    new PagesServer(app, this);
  }

  /**
   * Starts a platform.
   *
   * @throws InvalidOptionError for an option that cannot work.
   * @throws CannotListenError for a port that is taken.
   */
  static async start(options: SimulatorOptions = {}): Promise<Simulator> {
    const simulator = new Simulator(resolveOptions(options));
    await simulator.listen();
    return simulator;
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

  /** Has a phone number play another scenario than its last digits say; `null` takes that back. */
  scenario(phone: string, name: ScenarioName | null): void {
    this.parts.scenarios.override(phone, name);
  }

  /** The numbers that {@link scenario} has told to play another one. */
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

  /** Pays a till with no request of ours, and tells the subscriptions. @throws InvalidInputError */
  async payTill(payment: TillPayment): Promise<Transaction> {
    return this.parts.tillPayments.pay(payment);
  }

  /** Reverses a transaction and tells the subscriptions. @throws NotKnownError */
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

  /** Stops the platform; what was to come does not. */
  async stop(): Promise<void> {
    this.stopping ??= this.close();
    await this.stopping;
  }

  private async listen(): Promise<void> {
    this.port = await this.parts.server.listen();
    const { tls, host } = this.settings;
    if (!tls) return;
    const redirect = new RedirectServer(host, this.parts.writer, () => this.url);
    try {
      this.redirectPort = await redirect.listen(tls.redirectPort ?? 0);
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.redirect = redirect;
  }

  private async close(): Promise<void> {
    this.parts.clock.stop();
    this.parts.deliveries.stop();
    this.stream.stop();
    await this.redirect?.stop();
    await this.parts.server.stop();
  }
}
