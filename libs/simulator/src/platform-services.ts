import { tillAccount, WORLD } from './balances/account-name.js';
import { Books } from './balances/books.service.js';
import { ActivityTracker } from './clock/activity.service.js';
import { SimulatedClock } from './clock/clock.service.js';
import { Deliveries } from './deliveries/deliveries.service.js';
import { DeliverySender } from './deliveries/delivery-sender.service.js';
import { Faults } from './faults/faults.service.js';
import { Handsets } from './handsets/handsets.service.js';
import { Journal } from './journal/journal.service.js';
import { MerchantServices } from './merchant-services.js';
import type { SharedServices } from './merchants/merchant-context.js';
import { MerchantDispatcher } from './merchants/merchant-dispatcher.js';
import { SimulatedMerchant } from './merchants/merchant.model.js';
import { resolveMerchant, type MerchantSettings } from './merchants/merchant.options.js';
import { Merchants } from './merchants/merchants.service.js';
import { requireDestination } from './payouts/destination.model.js';
import type { ReceivingTill } from './payouts/disbursement-transfers.js';
import { PAYOUT_SCENARIOS, type PayoutScenarioName } from './payouts/payout-scenarios.constants.js';
import { ScenarioChoice } from './scenarios/scenario-choice.js';
import { SCENARIOS, type ScenarioName } from './scenarios/scenarios.constants.js';
import { AnswerSender } from './server/answer-sender.service.js';
import { PlatformServer } from './server/platform-server.js';
import {
  NotKnownError,
  UnknownPayoutScenarioError,
  UnknownScenarioError,
} from './simulator.errors.js';
import type { SimulatorSettings, SimulatorTimings } from './simulator.options.js';
import type { Transaction } from './transactions/transactions.store.js';
import { minorUnits, OWN_CURRENCY } from './values/amount.js';
import { requirePhoneNumber } from './values/phone-number.js';

/** Creates the services that all merchants of one simulator share, and finds those of each merchant. */
export class PlatformServices implements SharedServices {
  readonly activity = new ActivityTracker();
  readonly clock = new SimulatedClock(this.activity);
  readonly faults: Faults;
  readonly journal: Journal;
  readonly timings: SimulatorTimings;
  readonly scenarios: ScenarioChoice<ScenarioName>;
  readonly payoutScenarios = new ScenarioChoice<PayoutScenarioName>({
    all: PAYOUT_SCENARIOS,
    fallback: 'transferred',
    keyOf: (number) => number.replace(/^\+/, ''),
    assertNumber: requireDestination,
    errorOf: (name) => new UnknownPayoutScenarioError(name),
  });
  readonly handsets: Handsets;
  readonly books = new Books(() => this.clock.now());
  readonly deliveries: Deliveries;
  readonly merchants: Merchants;
  readonly answerSender = new AnswerSender(this.clock);
  readonly server: PlatformServer;
  /**
   * The services of each merchant, in the order in which they were added. Those of removed merchants stay, because their payments happened.
   */
  private readonly byMerchant = new Map<SimulatedMerchant, MerchantServices>();

  constructor(
    readonly settings: SimulatorSettings,
    readonly baseUrl: () => string,
  ) {
    const { timings, receiverCa } = settings;
    this.faults = new Faults(settings.seed);
    this.journal = new Journal(settings.journalSize, () => this.clock.now());
    this.timings = timings;
    this.scenarios = new ScenarioChoice({
      all: SCENARIOS,
      fallback: settings.defaultScenario,
      keyOf: (phone) => phone,
      assertNumber: requirePhoneNumber,
      errorOf: (name) => new UnknownScenarioError(name),
    });
    this.handsets = new Handsets(this.journal);
    this.deliveries = new Deliveries(
      settings,
      this.clock,
      this.activity,
      this.faults,
      this.journal,
      new DeliverySender(this.clock, timings.deliveryTimeout, receiverCa),
    );
    this.server = new PlatformServer(
      settings,
      this.faults,
      this.journal,
      this.activity,
      this.clock,
      this.answerSender,
      baseUrl,
    );
    this.merchants = new Merchants(this.clock, (merchant, { openingBalances }) => {
      this.byMerchant.set(merchant, this.create(merchant));
      this.openTills(merchant, openingBalances);
    });
    settings.merchants.forEach(({ at, ...merchant }) => this.merchants.open(merchant, at));
    const nobody = resolveMerchant({ name: 'nobody', tillNumbers: [] });
    this.server.add(
      new MerchantDispatcher(
        this.merchants,
        (merchant) => this.servicesOf(merchant),
        this.create(new SimulatedMerchant(nobody, this.clock)),
        settings.strict,
      ).routes(),
    );
  }

  /** Returns the objects with data of all merchants that is kept in a file. */
  keepers(): object[] {
    return [this.books, this.scenarios, this.payoutScenarios];
  }

  servicesOf(merchant: SimulatedMerchant): MerchantServices {
    return this.byMerchant.get(merchant)!;
  }

  /** Returns the services of all merchants, also of those that were removed; with a name, only those of this name. @throws NotKnownError */
  list(name?: string): MerchantServices[] {
    const all = [...this.byMerchant.values()];
    if (name === undefined) return all;
    const named = all.filter(({ merchant }) => merchant.name === name);
    if (named.length === 0) throw new NotKnownError('merchant', name);
    return named;
  }

  readonly transactionOf = (reference: string): Transaction | undefined => {
    for (const { transactions } of this.byMerchant.values()) {
      const found = transactions.findByReference(reference);
      if (found) return found;
    }
    return undefined;
  };

  private create(merchant: SimulatedMerchant): MerchantServices {
    const context = {
      ...(this as SharedServices),
      merchant,
      deliveries: this.deliveries.forOwner(merchant),
      faults: this.faults.forMerchant(merchant.name),
    };
    return new MerchantServices(context, (tillNumber) => this.receiverAt(tillNumber));
  }

  private receiverAt(tillNumber: string): ReceivingTill | undefined {
    const owner = this.merchants.ofTill(tillNumber);
    const till = owner?.tills.find(tillNumber);
    return owner && till && { till, money: this.servicesOf(owner).money };
  }

  private openTills(
    { tills }: SimulatedMerchant,
    balances: MerchantSettings['openingBalances'],
  ): void {
    // A merchant that was removed may have left money in a till of this number.
    for (const number of tills.numbers())
      this.books.empty(tillAccount(tills.find(number)!.reported));
    for (const [number, amount] of Object.entries(balances)) {
      this.books.book({
        debit: WORLD,
        credit: tillAccount(tills.find(number)!.reported),
        amount: minorUnits(amount, OWN_CURRENCY),
        currency: OWN_CURRENCY,
        why: 'opening balance',
        reference: null,
      });
    }
  }
}
