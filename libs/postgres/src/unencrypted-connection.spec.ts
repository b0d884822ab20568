import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { Client } from 'pg';
import { freshDatabase, type TestDatabase } from '../../../test/contracts/test-database.js';
import { PostgresStore } from './postgres.store.js';
import { unencryptedWarning } from './unencrypted-connection.js';

describe('A connection to PostgreSQL', () => {
  const warningOf = (connectionString: string): string | null =>
    unencryptedWarning(new Client({ connectionString }) as never);

  it.each([
    'postgres://user:secret@localhost/shop',
    'postgres://user:secret@127.0.0.1/shop',
    'postgres://user:secret@[::1]/shop',
    'postgres:///shop?host=/var/run/postgresql',
    'postgres://user:secret@db.example/shop?sslmode=verify-full',
  ])('gives no warning on this machine or with TLS: %s', (url) => {
    expect(warningOf(url)).toBeNull();
  });

  it('across a network without TLS gives a warning that names the host and no secret', () => {
    const warning = warningOf('postgres://user:secret@db.example/shop');
    expect(warning).toMatch(/at db\.example is not encrypted.*sslmode=verify-full/);
    expect(warning).not.toContain('secret');
  });

  describe('of a store', () => {
    let database: TestDatabase;
    let network: Server;

    beforeAll(async () => {
      database = await freshDatabase();
      const { hostname, port } = new URL(database.url);
      network = createServer((socket) => {
        const server = connect({ host: hostname, port: Number(port) });
        socket.on('error', () => server.destroy()).pipe(server);
        server.on('error', () => socket.destroy()).pipe(socket);
      });
      await new Promise<void>((resolve) => network.listen(0, '0.0.0.0', resolve));
    });
    afterEach(() => {
      jest.restoreAllMocks();
    });
    afterAll(async () => {
      await new Promise((resolve) => network.close(resolve));
      await database.drop();
    });

    it('is warned of once, however many connections the store opens', async () => {
      const warn = jest.spyOn(Logger.prototype, 'warn').mockReturnValue();
      const url = new URL(database.url);
      url.host = `0.0.0.0:${(network.address() as AddressInfo).port}`;
      const store = new PostgresStore({ connectionString: url.href, poolSize: 4 });
      await store.init();
      await Promise.all(Array.from({ length: 8 }, () => store.anomalies.list('default')));
      await store.onApplicationShutdown();
      const warnings = warn.mock.calls.filter(([text]) => String(text).includes('not encrypted'));
      expect(warnings).toHaveLength(1);
    });
  });
});
