import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PostgresStore } from './postgres.store.js';

const message = (type: string, body: string | Buffer): Buffer => {
  const length = Buffer.alloc(4);
  length.writeInt32BE(Buffer.byteLength(body) + 4);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(body)]);
};

const AUTHENTICATED = message('R', Buffer.alloc(4));
/** The server asks for a kind of authentication that the driver does not support. */
const UNKNOWN_PROOF = message('R', '\0\0\0\x0aSCRAM-OF-TOMORROW\0\0');
const READY = message('Z', 'I');
const SHUTDOWN = message(
  'E',
  'SFATAL\0VFATAL\0C57P01\0Mterminating connection due to unexpected postmaster exit\0\0',
);

describe('a server that ends a connection in the moment in which it is ready', () => {
  let server: Server;

  beforeEach(async () => {
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      // Both messages are in one chunk, so that the application has no turn between them.
      socket.once('data', () => socket.end(Buffer.concat([AUTHENTICATED, READY, SHUTDOWN])));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it('does not end the process of the host', async () => {
    const { port } = server.address() as AddressInfo;
    const store = new PostgresStore({
      connectionString: `postgres://user@127.0.0.1:${port}/shop`,
    });
    await expect(store.anomalies.list('default')).rejects.toThrow(
      'The payments store cannot be used',
    );
    await store.close();
  });
});

describe('a connection that the driver gives up before it is ready', () => {
  let server: Server;
  let closed: Promise<unknown>;

  beforeEach(async () => {
    closed = new Promise((resolve) => {
      server = createServer((socket) => {
        socket.on('error', () => undefined).on('close', resolve);
        socket.once('data', () => socket.write(UNKNOWN_PROOF));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  it('is closed, so that the server does not wait for it', async () => {
    const { port } = server.address() as AddressInfo;
    const store = new PostgresStore({
      connectionString: `postgres://user:password@127.0.0.1:${port}/shop`,
    });
    await expect(store.anomalies.list('default')).rejects.toThrow(/SASL: Only mechanism/);
    await closed;
    await store.close();
  });
});
