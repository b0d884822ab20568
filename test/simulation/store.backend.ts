import type { PaymentsStore } from '../../libs/payments/src/payments.store.js';
import type { SimulatedTransaction } from './host.transaction.js';
import type { SimulatedReplica } from './simulated.replica.js';
import type { StoreCall } from './simulated.store.js';
import type { World } from './simulated.world.js';
import type { StoreObserver } from './store.observer.js';
import type { Queue } from './virtual.scheduler.js';

/** Where a history keeps its payments when that is not this process's memory. */
export interface StoreBackend {
  /** How a process calls the store. */
  readonly call: typeof StoreCall;
  /** Belongs to this history from now on. */
  begin(world: World): StoreObserver;
  /** The store as one process has it. */
  open(replica: SimulatedReplica): PaymentsStore;
  /** A process has died, and its connections with it. */
  lost(replica: SimulatedReplica): void;
  /** A new transaction of a host. */
  transaction(name: string): SimulatedTransaction;
  /** Whether a look for work would find some now. */
  holdsWork(queue: Queue | null, now: number): boolean;
  /** Whether the store still knows that the host asked for a payment by itself. */
  remembersBare(platformId: string, now: number): boolean;
}
