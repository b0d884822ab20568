import { Global, Injectable, Module, Optional, type FactoryProvider } from '@nestjs/common';
import { OperationsStore } from './store/operations.store.js';
import { LedgerStore } from './store/ledger.store.js';
import { TransactionsStore } from './store/transactions.store.js';
import { BareRequestsStore } from './store/bare-requests.store.js';
import { DeliveriesStore } from './store/deliveries.store.js';
import { EventsStore } from './store/events.store.js';
import { DueWorkStore, PlannedWorkStore, SweepsStore } from './store/due-work.store.js';
import { PausesStore } from './store/pauses.store.js';
import { TokensStore } from './store/tokens.store.js';
import { AccountsStore } from './store/accounts.store.js';
import { AnomaliesStore } from './store/anomalies.store.js';
import { RetentionStore } from './store/retention.store.js';
import { StatisticsStore } from './store/statistics.store.js';
import { CountedAnomalies } from './runtime/telemetry/metrics.js';
import { PaymentsConfigurationError } from './payments.errors.js';
import { PaymentsStore } from './payments.store.js';
import { memoryRisk, riskText } from './accounts/start-risks.js';
import { MINUTE, Runtime } from './runtime/clock.js';
import { MemoryStore } from './memory/memory.store.js';
import { SafeLogger } from './runtime/logging.js';
import { copiesProblem, isOfOtherCopy } from './runtime/other-copies.js';

/** A start with several accounts waits this long for the options of all of them, because a factory may read them from a slow service. */
const OPTIONS_WITHIN_MS = MINUTE;

/**
 * Chooses the one store of all accounts: the option `store`, else the store that the application provides, else the memory of this
 * process, unless somebody must have meant another one.
 */
@Injectable()
export class ApplicationStore {
  private readonly options = new Map<string, PaymentsStore | undefined>();
  private changed: () => void = () => undefined;
  private store: PaymentsStore | null = null;

  constructor(
    @Optional() private readonly provided?: PaymentsStore,
    private readonly runtime: Runtime = new Runtime(),
  ) {}

  /**
   * Notes the option of an account.
   * @throws PaymentsConfigurationError when another account has another store, or another store is in use already
   */
  note(account: string, store: PaymentsStore | undefined): void {
    if (store && isOfOtherCopy(store, PaymentsStore, 'ledger'))
      throw new PaymentsConfigurationError([
        copiesProblem(
          `the option \`store\` of account "${account}" is of one, and PaymentsModule of the other`,
        ),
      ]);
    if (this.store && store && store !== this.store) {
      throw new PaymentsConfigurationError([
        `account "${account}" sets another store than the one that serves the accounts of this application already: set the ` +
          'option `store` for the first of them, or provide one PaymentsStore for the application',
      ]);
    }
    const [other] = [...this.options].find(([, set]) => store && set && set !== store) ?? [];
    if (other !== undefined) {
      throw new PaymentsConfigurationError([
        `accounts "${other}" and "${account}" have different stores, and one store serves all accounts of an application: give ` +
          'both the same object as option `store`, or provide one PaymentsStore for the application',
      ]);
    }
    this.options.set(account, store);
    this.changed();
  }

  /**
   * Resolves when all these accounts have noted their option.
   * @throws PaymentsConfigurationError when the options of an account do not come in time, when some accounts set another store
   *   than the application provides for the others, or when there is none in production or beside a database
   */
  async chosen(accounts: readonly string[]): Promise<PaymentsStore> {
    const missing = (): string[] => accounts.filter((account) => !this.options.has(account));
    const late = (): Error => new PaymentsConfigurationError([lateProblem(missing())]);
    const leaveAt = this.runtime.elapsed() + OPTIONS_WITHIN_MS;
    while (missing().length > 0) {
      const change = new Promise<void>((resolve) => (this.changed = resolve));
      await this.runtime.inTime(change, leaveAt - this.runtime.elapsed(), late);
    }
    const [setting, option] = [...this.options].find(([, store]) => store) ?? [];
    const [other] = [...this.options].find(([, store]) => !store) ?? [];
    if (option && other && this.provided && option !== this.provided) {
      throw new PaymentsConfigurationError([
        `account "${setting}" sets another store than the application provides, and one store serves all accounts, also account ` +
          `"${other}": give both the same object as option \`store\`, or remove the option`,
      ]);
    }
    this.store = option ?? this.provided ?? inMemory();
    return this.store;
  }
}

/** @throws PaymentsConfigurationError when the application provides a store of another copy of this package, which we cannot find */
export function refuseOtherStores(provided: readonly unknown[]): void {
  if (provided.some((instance) => isOfOtherCopy(instance, PaymentsStore, 'ledger')))
    throw new PaymentsConfigurationError([
      copiesProblem(
        'the store of this application is of one, and PaymentsModule of the other, which does not find it',
      ),
    ]);
}

function lateProblem(missing: readonly string[]): string {
  const names = missing.map((account) => `"${account}"`).join(', ');
  return (
    `the options of account ${names} did not come within ${OPTIONS_WITHIN_MS / 1_000} s: a factory of forRootAsync must ` +
    'not inject a service of another account, because services start when the options of all accounts are known'
  );
}

function inMemory(): MemoryStore {
  const risk = memoryRisk((name) => process.env[name]);
  if (risk) throw new PaymentsConfigurationError([riskText(risk)]);
  new SafeLogger().warn(
    'payments are kept in the memory of this process only: a restart loses payments in flight, idempotency keys and ' +
      'completed calls, and does not find webhooks that were missed before it; each search looks through all payments of an account, ' +
      'which is slow above 10,000. Use @tillkit/postgres in production',
  );
  return new MemoryStore();
}

/** Injection token of the store that serves all accounts of the application. */
export const CHOSEN_STORE = Symbol('CHOSEN_STORE');

/** One small store for each subject: services inject these, and never the group. */
const STORES: readonly FactoryProvider[] = [
  storeOf(OperationsStore, ({ operations }) => operations),
  storeOf(LedgerStore, ({ ledger }) => ledger),
  storeOf(TransactionsStore, ({ transactions }) => transactions),
  storeOf(BareRequestsStore, ({ bareRequests }) => bareRequests),
  storeOf(DeliveriesStore, ({ deliveries }) => deliveries),
  storeOf(EventsStore, ({ events }) => events),
  storeOf(DueWorkStore, ({ dueWork }) => dueWork),
  storeOf(PlannedWorkStore, ({ plannedWork }) => plannedWork),
  storeOf(PausesStore, ({ pauses }) => pauses),
  storeOf(SweepsStore, ({ sweeps }) => sweeps),
  storeOf(TokensStore, ({ tokens }) => tokens),
  storeOf(AccountsStore, ({ accounts }) => accounts),
  storeOf(AnomaliesStore, ({ anomalies }) => new CountedAnomalies(anomalies)),
  storeOf(RetentionStore, ({ retention }) => retention),
  storeOf(StatisticsStore, ({ statistics }) => statistics),
];

function storeOf<T>(
  provide: abstract new (...args: never[]) => T,
  useFactory: (store: PaymentsStore) => T,
): FactoryProvider<T> {
  return { provide, inject: [CHOSEN_STORE], useFactory };
}

/**
 * Gives each service the small store of its subject, of the one store that was chosen. `@tillkit/postgres` and the store in memory implement
 * the same classes, and one contract suite tests both.
 */
@Global()
@Module({ providers: [...STORES], exports: STORES.map(({ provide }) => provide) })
export class PaymentsStoreModule {}
