import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { generate } from '../../scripts/generate.mjs';
import crashes from './jest/crashes.cjs';

/**
 * Starts one PostgreSQL for the whole run. Each test file has its own database on it. It starts when the first file asks for it at a local port, so
 * that a run without a database does not wait. It runs in its own process, because Jest's set-up knows neither our sources nor their resolver.
 */
export default async function setUp() {
  crashes.beginRun();
  generate();
  if (process.env.TILLKIT_TEST_DATABASE_URL) return;
  let database;
  const listener = createServer((socket) => {
    socket.on('error', () => undefined);
    database ??= startDatabase();
    void database.then(({ url }) => socket.end(url));
  });
  listener.unref().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  process.env.TILLKIT_TEST_DATABASE_PORT = String(listener.address().port);
  globalThis.tillkitTestDatabase = () => database;
}

async function startDatabase() {
  const hooks = new URL('./typescript.register.mjs', import.meta.url).href;
  const server = spawn(
    process.execPath,
    [
      '--conditions=@tillkit/source',
      '--import',
      hooks,
      fileURLToPath(new URL('./test.server.ts', import.meta.url)),
    ],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, NODE_OPTIONS: '', TILLKIT_TEST_DATABASE_PORT: '' },
    },
  );
  const [url] = await Promise.race([
    once(createInterface(server.stdout), 'line'),
    once(server, 'exit').then(([code]) => {
      throw new Error(`the test server ended with ${code}`);
    }),
  ]);
  return { url, server };
}
