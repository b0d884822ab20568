import { Global, Module } from '@nestjs/common';
import { DueWorkFinder } from './due-work-finder.js';

/**
 * Finds, claims and does work in the store: one finder for the process, and a loop with leases for each kind of work.
 *
 * It must never know what the work is: no operation, no transaction, no delivery.
 */
@Global()
@Module({ providers: [DueWorkFinder], exports: [DueWorkFinder] })
export class PaymentsQueueModule {}
