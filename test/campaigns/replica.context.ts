import { poolOf } from '../support/pool.js';
import type { ReplicaSettings } from './replica.settings.js';

export const settings = JSON.parse(process.env['REPLICA'] as string) as ReplicaSettings;

/** Connections for the received events. */
export const received = poolOf(settings.eventsUrl, { max: 4 });

/** Connections for transactions of the host, which may stay open for long. */
export const hostPool = poolOf(settings.eventsUrl, { max: 12 });
