import type { SourceFault } from './source.fault.js';

/** The harness must find that the listener call succeeds although the broker has not confirmed the event. */
export const BUS_FAULTS: readonly SourceFault[] = [
  {
    name: 'the forwarder acknowledges before the confirm',
    file: 'libs/payments/src/listeners/bus/rabbitmq-client.ts',
    find: 'await firstValueFrom(merge(this.refused$, emit().pipe(defaultIfEmpty(undefined))));',
    replace: 'emit().subscribe({ error: () => undefined });',
  },
];
