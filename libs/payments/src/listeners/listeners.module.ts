import { Global, Module, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { EmitterListener, ListenersExplorer } from './listeners-explorer.js';
import { HostTransactions } from './host-transactions.js';
import { EventDispatcher } from './event-dispatcher.js';
import { LocalCalls } from '../store/ledger.store.js';

const LISTENERS: Provider[] = [
  ListenersExplorer,
  EmitterListener,
  HostTransactions,
  EventDispatcher,
  { provide: LocalCalls, useExisting: EventDispatcher },
];

/**
 * Finds the listeners of the host, calls each one for each event, repeats until it succeeds, and keeps what fails for ever as a dead
 * letter.
 *
 * It must never call a listener again after its success is stored, and never lose an event that is stored.
 */
@Global()
@Module({
  imports: [DiscoveryModule],
  providers: LISTENERS,
  exports: [ListenersExplorer, EmitterListener, HostTransactions, EventDispatcher, LocalCalls],
})
export class PaymentsListenersModule {}
