import { setImmediate as nextTurn } from 'node:timers/promises';
import type { AccountName } from './balances/account.name.js';
import type { Balance, Booking } from './balances/books.service.js';
import type { SimulatedClock } from './clock/clock.service.js';
import type { Deliveries } from './deliveries/deliveries.service.js';
import type { Faults } from './faults/faults.service.js';
import type { Handset } from './handsets/handset.model.js';
import type { Charge } from './incoming-payments/incoming-payments.store.js';
import type { ExternalRecipient } from './external-recipients/external-recipients.service.js';
import type { Journal } from './journal/journal.service.js';
import type { MerchantAccount } from './merchant-accounts/merchant-accounts.service.js';
import type { LinkPayer } from './payment-links/payment-links.service.js';
import type { PaymentLink } from './payment-links/payment-links.store.js';
import type { Payout } from './payouts/payout.model.js';
import type { PayoutScenarioName } from './payouts/payout-scenarios.constants.js';
import type { Refund } from './reversals/reversals.store.js';
import type { ScenarioName } from './scenarios/scenarios.constants.js';
import type { RedirectServer } from './server/redirect.server.js';
import { InvalidInputError } from './simulator.errors.js';
import type { SimulatorSettings } from './simulator.options.js';
import { SimulatorServices } from './simulator.services.js';
import type { WireObject } from './transactions/transaction.resource.js';
import type { TillPayment } from './transactions/till-payments.service.js';
import type { Transaction } from './transactions/transactions.store.js';
import type { WebhookSubscription } from './webhook-subscriptions/webhook-subscriptions.service.js';
import { OWN_CURRENCY } from './values/amount.js';
import { sampleResource } from './webhook-events/sample.resources.js';
import { isEventType, type EventType } from './webhook-events/event-types.constants.js';

/** The operations on a running simulator that tests, the control API and the pages use. */
export abstract class SimulatedPlatform {
  protected readonly services: SimulatorServices;
  protected redirect: RedirectServer | undefined;
  protected redirectPort = 0;
  protected port = 0;

  protected constructor(protected readonly settings: SimulatorSettings) {
    this.services = new SimulatorServices(settings, () => settings.publicUrl ?? this.url);
  }

  /** The base URL of the platform, without a trailing slash. */
  get url(): string {
    const host = this.settings.host.includes(':') ? `[${this.settings.host}]` : this.settings.host;
    return `${this.settings.tls ? 'https' : 'http'}://${host}:${this.port}`;
  }

  /** The plain-HTTP URL that redirects to the TLS one; null without TLS. */
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

  /** The random seed of {@link faults}. Pass it to `start` to repeat a run. */
  get seed(): number {
    return this.settings.seed;
  }

  get tillNumbers(): readonly string[] {
    return this.services.tills.numbers();
  }

  get clock(): SimulatedClock {
    return this.services.clock;
  }

  get faults(): Faults {
    return this.services.faults;
  }

  get journal(): Journal {
    return this.services.journal;
  }

  get deliveries(): Deliveries {
    return this.services.deliveries;
  }

  /** Sets the scenario of a phone number. With `null`, its last digits choose the scenario again. */
  scenario(phone: string, name: ScenarioName | null): void {
    this.services.scenarios.override(phone, name);
  }

  /** The scenarios set with {@link scenario}, by phone number. */
  scenarios(): Record<string, ScenarioName> {
    return this.services.scenarios.overridden();
  }

  /**
   * Sets what happens to payouts to a destination, and to refunds of a customer. With `null`, the last digits choose again.
   *
   * @param destination a phone number with or without +, an account number, a till number, or an account number at a paybill
   * @throws InvalidInputError
   * @throws UnknownPayoutScenarioError
   * @example simulator.payout('+254700000001', 'cancelled')
   */
  payout(destination: string, scenario: PayoutScenarioName | null): void {
    this.services.payoutScenarios.override(destination, scenario);
  }

  /** The scenarios set with {@link payout}, by number without +. */
  payoutScenarios(): Record<string, PayoutScenarioName> {
    return this.services.payoutScenarios.overridden();
  }

  /** The phone of a customer. */
  handset(phone: string): Handset {
    return this.services.handsets.of(phone);
  }

  /** The phones used so far. */
  handsets(): Handset[] {
    return this.services.handsets.list();
  }

  /** Pays into a till without a payment request, and delivers the webhooks. @throws InvalidInputError */
  async payTill(payment: TillPayment): Promise<Transaction> {
    return this.services.tillPayments.pay(payment);
  }

  /**
   * Reverses a transaction and delivers the webhooks. The payer gets the money back.
   *
   * @throws NotKnownError
   * @throws InsufficientFundsError when the till has paid the money out.
   */
  async reverse(reference: string): Promise<Transaction> {
    return this.services.money.reverse(reference);
  }

  /**
   * Sends any other webhook to its subscriptions. Missing fields of the resource get sample values.
   *
   * @returns the ids of the events, one per subscription.
   */
  async emit(eventType: EventType, resource: WireObject = {}): Promise<string[]> {
    if (!isEventType(eventType)) {
      throw new InvalidInputError(
        `"${String(eventType)}" is not an event type. The event types are the keys of EVENT_TYPES.`,
      );
    }
    const sample = sampleResource(eventType, this.tillNumbers[0] ?? '', this.clock.now());
    return this.services.events.publishResource(eventType, { ...sample, ...resource });
  }

  /** Every payment request that the platform carried out, and whether the customer was really charged. */
  charges(): Charge[] {
    return this.services.payments.charges();
  }

  /** Every request that sent money out, and what was really paid to each destination. */
  payouts(): Payout[] {
    return this.services.payouts.list();
  }

  /** Every request to give money back, and whether the customer really got it. */
  refunds(): Refund[] {
    return this.services.reversals.list();
  }

  /** Every payment link, and whether it is paid. */
  links(): PaymentLink[] {
    return this.services.links.list();
  }

  /**
   * Pays a payment link as a customer. Resolves after the first attempt to deliver its callback and webhooks.
   *
   * @param id the platform's id of the link
   * @throws NotKnownError
   * @throws InvalidInputError for a link that is not active: already paid, cancelled or expired. No money moves.
   * @example await simulator.payLink(id, { phoneNumber: '+254700000001' })
   */
  async payLink(id: string, payer: LinkPayer): Promise<Transaction> {
    return this.services.paymentLinks.pay(id, payer);
  }

  /** The recipients, also those that a payout made known. */
  recipients(): ExternalRecipient[] {
    return this.services.recipients.list();
  }

  /** The merchant's own accounts. The first is the settlement account, to which all funds go when a request names no destination. */
  merchantAccounts(): MerchantAccount[] {
    return this.services.merchantAccounts.list();
  }

  /** All transactions, also those of {@link payTill}. */
  transactions(): Transaction[] {
    return [...this.services.transactions.all()];
  }

  /** The balance of every account, in minor units. The sum of a currency over all accounts is 0. */
  balances(): Balance[] {
    return this.services.books.balances();
  }

  /**
   * The balance of one account in minor units; 0 for an account that was never used.
   * @example simulator.balance('till:514459') // 100_000: KES 1,000.00
   */
  balance(account: AccountName, currency = OWN_CURRENCY): number {
    return this.services.books.balance(account, currency);
  }

  /** Every movement of money from one account to another, oldest first. */
  books(): Booking[] {
    return this.services.books.list();
  }

  /** The subscriptions, in the order of their creation. */
  subscriptions(): WebhookSubscription[] {
    return this.services.subscriptions.list();
  }

  /** Expires every token now. The platform answers calls with them 401 ExpiredAccessToken. */
  expireTokens(): void {
    this.services.tokens.expireAll();
  }

  /** Resolves when no delivery or request is in flight and no task is due. */
  async idle(): Promise<void> {
    const { clock, activity } = this.services;
    do {
      await activity.whenIdle();
      // An answer may lead to more work in a later turn of the event loop, such as a retry.
      await nextTurn();
    } while (clock.runDue() || activity.count > 0);
  }
}
