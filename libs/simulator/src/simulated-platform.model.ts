import { setImmediate as nextTurn } from 'node:timers/promises';
import { tillAccount, type AccountName } from './balances/account-name.js';
import type { Balance, Booking } from './balances/books.service.js';
import type { SimulatedClock } from './clock/clock.service.js';
import type { Deliveries } from './deliveries/deliveries.service.js';
import type { Faults } from './faults/faults.service.js';
import type { Handset } from './handsets/handset.model.js';
import { chargeOf, type Charge } from './incoming-payments/incoming-payment.record.js';
import type { ExternalRecipient } from './external-recipients/external-recipients.service.js';
import type { Journal } from './journal/journal.service.js';
import type { MerchantServices } from './merchant-services.js';
import type { MerchantAccount } from './merchant-accounts/merchant-accounts.service.js';
import type { SimulatedMerchant } from './merchants/merchant.model.js';
import type { Merchants } from './merchants/merchants.service.js';
import type { LinkPayer } from './payment-links/payment-links.service.js';
import type { PaymentLink } from './payment-links/payment-link.record.js';
import { payoutOf, type Payout } from './payouts/payout.model.js';
import type { PayoutScenarioName } from './payouts/payout-scenarios.constants.js';
import { refundOf, type Refund } from './reversals/reversal.record.js';
import { PlatformServices } from './platform-services.js';
import type { ScenarioName } from './scenarios/scenarios.constants.js';
import type { RedirectServer } from './server/redirect-server.js';
import { InvalidInputError, NotKnownError } from './simulator.errors.js';
import type { SimulatorSettings } from './simulator.options.js';
import type { WireObject } from './transactions/transaction.resource.js';
import type { TillPayment } from './transactions/till-payments.service.js';
import type { Transaction } from './transactions/transactions.store.js';
import type { WebhookSubscription } from './webhook-subscriptions/webhook-subscriptions.service.js';
import { OWN_CURRENCY } from './values/amount.js';
import { sampleResource } from './webhook-events/sample-resources.js';
import { isEventType, type EventType } from './webhook-events/event-types.constants.js';

/** An error names at most this many tills. */
const TILLS_NAMED = 20;

/** Something of a merchant, with the merchant's name. */
export type Owned<Item> = Item & { readonly merchant: string };

/**
 * The operations on a running simulator that tests, the control API and the pages use. Lists contain the items of all merchants, also of
 * those that were removed. With the name of a merchant, they contain only the items of that one.
 */
export abstract class SimulatedPlatform {
  protected readonly services: PlatformServices;
  protected redirect: RedirectServer | undefined;
  protected redirectPort = 0;
  protected port = 0;

  protected constructor(protected readonly settings: SimulatorSettings) {
    this.services = new PlatformServices(settings, () => settings.publicUrl ?? this.url);
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

  /** The application key of the first merchant. */
  get clientId(): string {
    return this.merchants.first().clientId;
  }

  /** The newest application secret of the first merchant. */
  get clientSecret(): string {
    return this.merchants.first().clientSecret;
  }

  /** The key that signs the deliveries of the first merchant now. */
  get apiKey(): string {
    return this.merchants.first().apiKey;
  }

  /** The random seed of {@link faults}. Pass it to `start` to repeat a run. */
  get seed(): number {
    return this.settings.seed;
  }

  /** The tills of the first merchant. */
  get tillNumbers(): readonly string[] {
    return this.merchants.first().tillNumbers;
  }

  /**
   * The merchants of the platform. Add, change and remove them at any time.
   * @example simulator.merchants.get('shop-7').rotateApiKey()
   */
  get merchants(): Merchants {
    return this.services.merchants;
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

  /** Returns the scenarios set with {@link scenario}, by phone number. */
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

  /** Returns the scenarios set with {@link payout}, by number without +. */
  payoutScenarios(): Record<string, PayoutScenarioName> {
    return this.services.payoutScenarios.overridden();
  }

  /** Returns the phone of a customer. */
  handset(phone: string): Handset {
    return this.services.handsets.get(phone);
  }

  /** Returns the phones used so far. */
  handsets(): Handset[] {
    return this.services.handsets.list();
  }

  /** Pays into a till without a payment request, and delivers the webhooks. @throws InvalidInputError */
  async payTill(payment: TillPayment): Promise<Transaction> {
    const { tillNumber } = payment;
    const owner = this.merchants.ofTill(tillNumber);
    if (!owner) {
      const tills = this.merchants.list().flatMap((merchant) => merchant.tillNumbers);
      const more = tills.length > TILLS_NAMED ? ', …' : '';
      throw new InvalidInputError(
        `There is no till ${tillNumber}. The tills are ${tills.slice(0, TILLS_NAMED).join(', ')}${more}.`,
      );
    }
    return this.services.servicesOf(owner).tillPayments.pay(owner.tills.find(tillNumber)!, payment);
  }

  /**
   * Reverses a transaction and delivers the webhooks. The payer gets the money back.
   *
   * @throws NotKnownError
   * @throws InsufficientFundsError when the till has paid the money out.
   */
  async reverse(reference: string): Promise<Transaction> {
    for (const { transactions, money } of this.services.list()) {
      const transaction = transactions.findByReference(reference);
      if (transaction) return money.reverse(transaction);
    }
    throw new NotKnownError('transaction', reference);
  }

  /**
   * Sends any other webhook to its subscriptions. Missing fields of the resource get sample values; a field that is `undefined` is left
   * out. Each webhook links one resource, which can be read.
   * @param merchant the name of the merchant to which the event belongs. @default the one with the resource's till, else the first
   * @returns the ids of the events, one per subscription.
   * @throws NotKnownError for an unknown merchant
   * @throws InvalidInputError for an unknown event type, and for a till of another merchant
   */
  async emit(
    eventType: EventType,
    resource: WireObject = {},
    merchant?: string,
  ): Promise<string[]> {
    if (!isEventType(eventType)) {
      throw new InvalidInputError(
        `"${String(eventType)}" is not an event type. The event types are the keys of EVENT_TYPES.`,
      );
    }
    const owner = this.ownerOf(resource, merchant);
    const sample = sampleResource(eventType, owner.tillNumbers[0] ?? '', this.clock.now());
    const { events } = this.services.servicesOf(owner);
    return events.publishResource(eventType, { ...sample, ...resource });
  }

  /** Returns every payment request that the platform carried out. `charged` is true when the customer was really charged. */
  charges(merchant?: string): Owned<Charge>[] {
    return this.listed(merchant, ({ payments }) => payments.all().map(chargeOf));
  }

  /** Returns every request that sent money out, with the real payment to each destination. */
  payouts(merchant?: string): Owned<Payout>[] {
    return this.listed(merchant, ({ payouts }) => payouts.all().map(payoutOf));
  }

  /** Returns every request to give money back. `paid` is true when the customer really got it. */
  refunds(merchant?: string): Owned<Refund>[] {
    return this.listed(merchant, ({ reversals }) => reversals.all().map(refundOf));
  }

  /** Returns every payment link, with its state. */
  links(merchant?: string): Owned<PaymentLink>[] {
    return this.listed(merchant, ({ paymentLinks }) => paymentLinks.list());
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
    for (const { paymentLinks } of this.services.list()) {
      const link = paymentLinks.store.find(id);
      if (link) return paymentLinks.pay(link, payer);
    }
    throw new NotKnownError('payment link', id);
  }

  /** Returns the recipients, also those that a payout made known. */
  recipients(merchant?: string): Owned<ExternalRecipient>[] {
    return this.listed(merchant, ({ recipients }) => recipients.all());
  }

  /** Returns the merchant's own accounts. The first is the settlement account, to which all funds go when a request names no destination. */
  merchantAccounts(merchant?: string): Owned<MerchantAccount>[] {
    return this.listed(merchant, ({ merchantAccounts }) => merchantAccounts.all());
  }

  /** Returns all transactions, also those of {@link payTill}. */
  transactions(merchant?: string): Transaction[] {
    return this.services.list(merchant).flatMap(({ transactions }) => [...transactions.all()]);
  }

  /** Returns the balance of every account, in minor units. The sum of a currency over all accounts is 0. */
  balances(merchant?: string): Balance[] {
    const balances = this.services.books.balances();
    if (merchant === undefined) return balances;
    const own = this.accountsOf(merchant);
    return balances.filter(({ account }) => own.has(account));
  }

  /**
   * Returns the balance of one account in minor units; 0 for an account that was never used.
   * @example simulator.balance('till:514459') // 100_000: KES 1,000.00
   */
  balance(account: AccountName, currency = OWN_CURRENCY): number {
    return this.services.books.balance(account, currency);
  }

  /** Returns every movement of money from one account to another, oldest first. */
  books(merchant?: string): Booking[] {
    const bookings = this.services.books.list();
    if (merchant === undefined) return bookings;
    const own = this.accountsOf(merchant);
    return bookings.filter(({ debit, credit }) => own.has(debit) || own.has(credit));
  }

  /** Returns the subscriptions, in the order of their creation. */
  subscriptions(merchant?: string): Owned<WebhookSubscription>[] {
    return this.listed(merchant, ({ subscriptions }) => subscriptions.all());
  }

  /** Expires every token now. The platform answers calls with them 401 ExpiredAccessToken. */
  expireTokens(merchant?: string): void {
    for (const { tokens } of this.services.list(merchant)) tokens.expireAll();
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

  /** Returns the items of all merchants, each with the name of its merchant; with a name, only the items of the merchants of this name. */
  private listed<Item extends object>(
    merchant: string | undefined,
    read: (services: MerchantServices) => readonly Item[],
  ): Owned<Item>[] {
    return this.services
      .list(merchant)
      .flatMap((services) =>
        read(services).map((item) => ({ merchant: services.merchant.name, ...item })),
      );
  }

  /** Returns the tills and own accounts of the merchants of this name. */
  private accountsOf(name: string): ReadonlySet<AccountName> {
    return new Set(
      this.services
        .list(name)
        .flatMap(({ merchant: { tills }, merchantAccounts }) => [
          ...tills.numbers().map((number) => tillAccount(tills.find(number)!.reported)),
          ...merchantAccounts.all().map((one) => merchantAccounts.destinationOf(one).account),
        ]),
    );
  }

  private ownerOf({ till_number: till }: WireObject, name: string | undefined): SimulatedMerchant {
    const ofTill = typeof till === 'string' ? this.merchants.ofTill(till) : undefined;
    if (name === undefined) return ofTill ?? this.merchants.first();
    const owner = this.merchants.get(name);
    if (ofTill && ofTill !== owner) {
      throw new InvalidInputError(
        `The till ${String(till)} is one of the merchant "${ofTill.name}", not of "${name}". Leave the merchant out, or name a till of it.`,
      );
    }
    return owner;
  }
}
