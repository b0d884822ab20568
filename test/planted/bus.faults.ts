import type { SourceFault } from './source.fault.js';

/** This harness must find that the listener call succeeds although the broker has not confirmed the event. */
export const acknowledgedBeforeTheConfirm: SourceFault = {
  name: 'the forwarder acknowledges before the confirm',
  file: 'libs/payments/src/listeners/bus/bus-client.ts',
  find: 'await lastValueFrom(this.client.emit(pattern, event), { defaultValue: undefined });',
  replace:
    'lastValueFrom(this.client.emit(pattern, event), { defaultValue: undefined }).catch(() => undefined);',
};

export const BUS_FAULTS: readonly SourceFault[] = [acknowledgedBeforeTheConfirm];
