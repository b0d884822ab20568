import type { PoolClient } from 'pg';

/** `pg` has these facts about a connection. Its types list them only for a client that is no member of a pool. */
type Connected = PoolClient & { readonly host?: string; readonly ssl?: unknown };

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|::1|\[::1\])$/i;

/** Returns the warning for a connection that crosses a network without TLS; null for TLS, this machine and a Unix socket. */
export function unencryptedWarning(client: PoolClient): string | null {
  const { host, ssl } = client as Connected;
  if (ssl || !host || host.startsWith('/') || LOOPBACK.test(host)) return null;
  return (
    `the connection to PostgreSQL at ${host} is not encrypted: everyone on the network between can read payments and phone numbers. ` +
    'Add `?sslmode=verify-full` to PAYMENTS_DATABASE_URL, or set `ssl` on your own pool'
  );
}
