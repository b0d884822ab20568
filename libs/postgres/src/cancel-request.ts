import { connect } from 'node:net';
import type { PoolClient } from 'pg';

/** The number of a CancelRequest in the protocol of PostgreSQL. */
const CANCEL_REQUEST = 80_877_102;

/** What the driver knows of a connection. Another driver, or one of the host, may not have it. */
interface Connected {
  readonly host?: string;
  readonly port?: number;
  readonly processID?: number | null;
  readonly secretKey?: number | null;
}

/**
 * Asks the server to end the statement of a connection that nobody waits for any more. The server does not look whether the other end of a connection
 * still exists while a statement runs or waits for a lock, so without this the statement and its place among `max_connections` stay.
 * It is a connection of its own, without an answer; where it cannot be made, the statement ends by itself.
 */
export function cancelStatement(client: PoolClient): void {
  const { host, port, processID, secretKey } = client as unknown as Connected;
  if (!host || !port || !processID || typeof secretKey !== 'number') return;
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(CANCEL_REQUEST, 4);
  request.writeInt32BE(processID, 8);
  request.writeInt32BE(secretKey, 12);
  const socket = host.startsWith('/')
    ? connect(`${host}/.s.PGSQL.${port}`)
    : connect({ host, port });
  socket.setTimeout(5_000, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  socket.end(request);
}
