import type { PaymentsStore } from '../../libs/payments/src/payments.store.js';
import type { SimulatedTransaction } from './host.transaction.js';
import type { SimulatedReplica } from './simulated.replica.js';
import type { StoreCall } from './simulated.store.js';
import type { Processes } from './history.processes.js';
import type { Simulation } from './history.simulation.js';
import type { StoreObserver } from './store.observer.js';
import type { Queue } from './virtual.scheduler.js';

/** A store outside of this process for the payments of a history. */
export interface StoreBackend {
  /** Class of a store call. */
  readonly call: typeof StoreCall;
  /** Starts a history. */
  begin(processes: Processes): void;
  /** Observes the rows of one account. */
  observerOf(simulation: Simulation): StoreObserver;
  open(replica: SimulatedReplica): PaymentsStore;
  /** The simulation calls this when a process has crashed: its connections end. */
  lost(replica: SimulatedReplica): void;
  /** Begins a host transaction. */
  transaction(simulation: Simulation, name: string): SimulatedTransaction;
  /** True when a claim on a queue would find due work now. */
  hasDueWork(queue: Queue | null, now: number): boolean;
  /** True when the store still keeps a bare request. */
  knowsBareRequest(account: string, platformId: string, now: number): boolean;
}
