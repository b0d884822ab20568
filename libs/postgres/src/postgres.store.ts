import type { OnApplicationShutdown } from '@nestjs/common';
import { PaymentsStore } from '@tillkit/payments/internal/store';
import { Acknowledgements } from './acknowledgements.js';
import { PostgresAccountsStore } from './accounts/postgres-accounts.store.js';
import { PostgresAnomaliesStore } from './anomalies/postgres-anomalies.store.js';
import { PostgresBareRequestsStore } from './bare-requests/postgres-bare-requests.store.js';
import { PostgresDeliveriesStore } from './deliveries/postgres-deliveries.store.js';
import { PostgresPausesStore } from './pauses/postgres-pauses.store.js';
import { PostgresDueWorkStore } from './due-work/postgres-due-work.store.js';
import { PostgresPlannedWorkStore } from './planned-work/postgres-planned-work.store.js';
import { PostgresEventsStore } from './events/postgres-events.store.js';
import { MOST_WAITING } from './group-commit.js';
import { PostgresLedgerStore } from './ledger/postgres-ledger.store.js';
import { checkSchema, migrate } from './migrate.js';
import { PostgresOperationsStore } from './operations/postgres-operations.store.js';
import { recordingLimits } from './operations/recordings.js';
import { Database } from './postgres-database.js';
import { resolvePostgresOptions, type PostgresStoreOptions } from './postgres.options.js';
import { ReplicaReads } from './replica-reads.js';
import {
  markRestored,
  sequencesBehind,
  type DoubtedOperation,
} from './restores/restored-database.js';
import { PostgresRetentionStore } from './retention/postgres-retention.store.js';
import { PostgresStatisticsStore } from './statistics/postgres-statistics.store.js';
import { PostgresSweepsStore } from './sweeps/postgres-sweeps.store.js';
import { PostgresTokensStore } from './tokens/postgres-tokens.store.js';
import { PostgresTotalsStore } from './totals/postgres-totals.store.js';
import { TotalsRollUp } from './totals/totals-roll-up.js';
import { PostgresTransactionsStore } from './transactions/postgres-transactions.store.js';

/**
 * The store of `@tillkit/payments` on PostgreSQL 13 or newer. A restart loses nothing, and any number of replicas share the
 * work. The first statement brings the schema up to date, unless `migrate` is false.
 *
 * Every method throws `StoreUnavailableError` if the database cannot be used. A connection that breaks after a commit was sent
 * leaves the outcome unknown: call the method again, with the same idempotency key for a payment. It never charges twice.
 * @example
 * const store = new PostgresStore({ connectionString: 'postgres://user:password@host/database' });
 * PaymentsModule.forRoot({ store });
 * @see docs/postgres.md
 * @publicApi
 */
export class PostgresStore extends PaymentsStore implements OnApplicationShutdown {
  readonly operations: PostgresOperationsStore;
  readonly ledger: PostgresLedgerStore;
  readonly transactions: PostgresTransactionsStore;
  readonly bareRequests: PostgresBareRequestsStore;
  readonly deliveries: PostgresDeliveriesStore;
  readonly events: PostgresEventsStore;
  readonly dueWork: PostgresDueWorkStore;
  readonly plannedWork: PostgresPlannedWorkStore;
  readonly pauses: PostgresPausesStore;
  readonly sweeps: PostgresSweepsStore;
  readonly tokens: PostgresTokensStore;
  readonly accounts: PostgresAccountsStore;
  readonly anomalies: PostgresAnomaliesStore;
  readonly retention: PostgresRetentionStore;
  readonly statistics: PostgresStatisticsStore;
  readonly totals: PostgresTotalsStore;
  readonly #rollUp: TotalsRollUp;
  readonly #acknowledgements: Acknowledgements;
  readonly #database: Database;
  readonly #reads: ReplicaReads;

  /** @throws PostgresConfigurationError if an option is invalid, or if there is no database */
  constructor(options: PostgresStoreOptions = {}) {
    super();
    const resolved = resolvePostgresOptions(options);
    const database = new Database(resolved);
    this.#database = database;
    database.prepareWith(async () => {
      if (resolved.migrate) await migrate(database);
      else await checkSchema(database);
    });
    const { readConnectionString } = resolved;
    const replica = readConnectionString
      ? new Database({ ...resolved, pool: undefined, connectionString: readConnectionString })
      : null;
    const reads = new ReplicaReads(database, replica);
    this.#reads = reads;
    const limits = { maxQueued: MOST_WAITING, timeoutMs: resolved.statementTimeoutMs / 3 };
    const recording = recordingLimits(resolved.statementTimeoutMs);
    this.operations = new PostgresOperationsStore(database, reads, limits, recording);
    this.#rollUp = new TotalsRollUp(database);
    this.ledger = new PostgresLedgerStore(database, this.#rollUp, limits);
    this.transactions = new PostgresTransactionsStore(database, reads, limits);
    this.bareRequests = new PostgresBareRequestsStore(database);
    this.#acknowledgements = new Acknowledgements(database, limits);
    this.deliveries = new PostgresDeliveriesStore(
      database,
      reads,
      this.#rollUp,
      this.#acknowledgements,
      limits,
    );
    this.events = new PostgresEventsStore(database, this.#acknowledgements);
    this.dueWork = new PostgresDueWorkStore(database);
    this.plannedWork = new PostgresPlannedWorkStore(database);
    this.pauses = new PostgresPausesStore(database);
    this.sweeps = new PostgresSweepsStore(database);
    this.tokens = new PostgresTokensStore(database);
    this.accounts = new PostgresAccountsStore(database);
    this.anomalies = new PostgresAnomaliesStore(database);
    this.retention = new PostgresRetentionStore(database);
    this.statistics = new PostgresStatisticsStore(database);
    this.totals = new PostgresTotalsStore(reads, this.#rollUp);
  }

  /**
   * Brings the schema up to date, or only checks it if `migrate` is false. After a failure, the next call tries again.
   * @throws PostgresSchemaError if a newer version has broken the schema for this one, if other migrations made it, or if migrations are missing
   * @throws StoreUnavailableError if the database cannot be used
   */
  init(): Promise<void> {
    return this.#database.ready();
  }

  /**
   * Records that the database was restored to an earlier time. Call it before any process works on the copy, as `tillkit restored` does. In
   * one commit it pauses sending for all accounts, makes all operations `unknown` that may have been sent since, makes sweeps read again
   * from then on, and raises the sequences that are behind ({@link sequencesBehind}).
   * @param by the person who restored it: the name stays in the history
   * @returns the operations that are `unknown` now, account by account, oldest first
   * @throws StoreUnavailableError if the database cannot be used. Call it again: it may be called twice
   * @see docs/production.md#restore-the-database
   */
  markRestored(at: Date, by: string): Promise<DoubtedOperation[]> {
    return markRestored(this.#database, at, by);
  }

  /**
   * Names the columns whose sequence is behind their largest value, such as `queue.place`. A copy by logical replication has such columns,
   * because it copies no sequences. Until `markRestored()` raises them, pauses fail and deliveries are answered 503.
   * @returns the names of the columns; none if all is well
   * @throws StoreUnavailableError if the database cannot be used, or if the role may not read the sequences of the schema
   * @see docs/production.md#restore-the-database
   */
  sequencesBehind(): Promise<string[]> {
    return sequencesBehind(this.#database);
  }

  /** Waits for pending writes, then closes the store's own pool. A pool of the host stays open. */
  async close(): Promise<void> {
    const busy = [this.operations, this.ledger, this.deliveries, this.#acknowledgements];
    await Promise.all(busy.map((store) => store.drain()));
    await this.#rollUp.close();
    await this.#reads.close();
    await this.#database.close();
  }

  /** Closes the store in Nest's last hook, because everything that uses it stops in an earlier one. */
  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }
}
