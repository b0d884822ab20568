import { PATIENT } from '../../../../test/contracts/test-database.js';
import { PostgresOperationsStore } from '../operations/postgres-operations.store.js';
import { Database } from '../postgres-database.js';
import { resolvePostgresOptions } from '../postgres.options.js';
import { ReplicaReads } from '../replica-reads.js';

const LONG_MS = PATIENT.statementTimeoutMs;

/** The operations of a store in which a recording waits for another transaction as long as a busy machine needs. */
export class PatientOperations {
  readonly store: PostgresOperationsStore;
  private readonly database: Database;

  constructor(connectionString: string) {
    this.database = new Database(resolvePostgresOptions({ ...PATIENT, connectionString }));
    this.store = new PostgresOperationsStore(
      this.database,
      new ReplicaReads(this.database, null),
      { maxQueued: 100, timeoutMs: LONG_MS },
      { groupWaitMs: 50, aloneWaitMs: LONG_MS, lateMs: LONG_MS },
    );
  }

  async close(): Promise<void> {
    await this.store.drain();
    await this.database.close();
  }
}
