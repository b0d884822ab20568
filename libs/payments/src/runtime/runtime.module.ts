import { Global, Module } from '@nestjs/common';
import { Runtime } from './clock.js';
import { ShutdownSignal } from './shutdown-signal.js';

const RUNTIME = [Runtime, ShutdownSignal];

/**
 * Everything here waits, repeats, logs and ends with this module: clock and ids, retries, rates and circuits, spans and metrics.
 *
 * It must never know what it works on: no account, no operation, no transaction, no delivery.
 */
@Global()
@Module({ providers: RUNTIME, exports: RUNTIME })
export class PaymentsRuntimeModule {}
