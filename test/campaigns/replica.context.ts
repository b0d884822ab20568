import pg from 'pg';
import type { ReplicaSettings } from './replica.settings.js';

/** The settings of this replica. */
export const settings = JSON.parse(process.env['REPLICA'] as string) as ReplicaSettings;

/** Connections for the received events. */
export const received = newPool(4);

/** Connections for transactions of the host, which may stay open for long. */
export const hostPool = newPool(12);

function newPool(max: number): pg.Pool {
  const pool = new pg.Pool({ connectionString: settings.eventsUrl, max });
  pool.on('error', () => undefined);
  return pool;
}
