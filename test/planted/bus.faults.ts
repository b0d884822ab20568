import type { SourceFault } from './source.fault.js';

/** The harness must find that the listener call succeeds although the broker has not confirmed the event. */
export const BUS_FAULTS: readonly SourceFault[] = [
  {
    name: 'the forwarder acknowledges before the confirm',
    file: 'libs/payments/src/listeners/bus/bus-client.ts',
    find: 'await lastValueFrom(this.client.emit(pattern, event), { defaultValue: undefined });',
    replace:
      'lastValueFrom(this.client.emit(pattern, event), { defaultValue: undefined }).catch(() => undefined);',
  },
];
