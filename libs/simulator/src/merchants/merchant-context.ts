import type { Books } from '../balances/books.service.js';
import type { SimulatedClock } from '../clock/clock.service.js';
import type { MerchantDeliveries } from '../deliveries/deliveries.service.js';
import type { FaultInjector } from '../faults/faults.service.js';
import type { Handsets } from '../handsets/handsets.service.js';
import type { Journal } from '../journal/journal.service.js';
import type { PayoutScenarioName } from '../payouts/payout-scenarios.constants.js';
import type { ScenarioName } from '../scenarios/scenarios.constants.js';
import type { ScenarioChoice } from '../scenarios/scenario-choice.js';
import type { SimulatorSettings, SimulatorTimings } from '../simulator.options.js';
import type { Transaction } from '../transactions/transactions.store.js';
import type { SimulatedMerchant } from './merchant.model.js';

/** All merchants of one simulator share these services. */
export interface SharedServices {
  readonly settings: SimulatorSettings;
  readonly timings: SimulatorTimings;
  readonly baseUrl: () => string;
  readonly clock: SimulatedClock;
  readonly journal: Journal;
  readonly scenarios: ScenarioChoice<ScenarioName>;
  readonly payoutScenarios: ScenarioChoice<PayoutScenarioName>;
  readonly handsets: Handsets;
  readonly books: Books;
  /** Returns the transaction with this reference, of any merchant. */
  readonly transactionOf: (reference: string) => Transaction | undefined;
}

/** Each service of a merchant uses this: the shared services, and those of the merchant itself. */
export interface MerchantContext extends SharedServices {
  readonly merchant: SimulatedMerchant;
  readonly deliveries: MerchantDeliveries;
  readonly faults: FaultInjector;
}
