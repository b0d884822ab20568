import { Global, Module } from '@nestjs/common';
import { PaymentsStoreModule } from '../store/store.module.js';
import { BackgroundRequests } from './background-requests.js';
import { KnownAccounts } from './known-accounts.js';
import { PlatformClocks } from './platform-clock.js';
import { PlatformWaits } from './platform-waits.js';
import { Runtime } from './runtime.js';
import { ShutdownSignal } from './shutdown-signal.js';
import { DueWorkFinder } from './due-work-finder.js';

const WORK = [
  Runtime,
  ShutdownSignal,
  KnownAccounts,
  DueWorkFinder,
  PlatformClocks,
  PlatformWaits,
  BackgroundRequests,
];

/**
 * How anything here waits, repeats, claims, logs and ends: work loops and their leases, every wait in `backoff.ts`, clock and ids, the rate
 * and the circuit of requests in the background, spans and metrics, and the settings of each account as a snapshot.
 *
 * It must never know what it works on: no operation, no transaction, no delivery.
 */
@Global()
@Module({ imports: [PaymentsStoreModule], providers: WORK, exports: WORK })
export class PaymentsWorkModule {}
