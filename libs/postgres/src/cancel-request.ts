import { connect } from 'node:net';
import type { PoolClient } from 'pg';

/** The number of a CancelRequest in the protocol of PostgreSQL. */
const CANCEL_REQUEST = 80_877_102;

/** The driver has these facts about a connection. Another driver, or one of the host, may not have them. */
interface Connected {
  readonly host?: string;
  readonly port?: number;
  readonly processID?: number | null;
  readonly secretKey?: number | null;
}

/**
 * Asks the server to end a statement that nobody waits for any more. While a statement runs or waits for a lock, the server does not notice
 * that the other end of its connection has gone. Without this request the statement keeps its place among `max_connections`. The request
 * uses its own connection and gets no answer. If that connection cannot be made, or is faster than the statement, the statement ends by itself.
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
