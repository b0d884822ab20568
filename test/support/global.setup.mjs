import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/**
 * One PostgreSQL for the whole run: each test file has a database of its own on it. It runs in a process of its own,
 * because Jest's set-up knows neither our sources nor their resolver.
 */
export default async function setUp() {
  if (process.env.TILLKIT_TEST_DATABASE_URL) return;
  const hooks = new URL('./typescript.register.mjs', import.meta.url).href;
  const server = spawn(
    process.execPath,
    [
      '--conditions=@tillkit/source',
      '--import',
      hooks,
      fileURLToPath(new URL('./test.server.ts', import.meta.url)),
    ],
    { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, NODE_OPTIONS: '' } },
  );
  const [url] = await Promise.race([
    once(createInterface(server.stdout), 'line'),
    once(server, 'exit').then(([code]) => {
      throw new Error(`the test server ended with ${code}`);
    }),
  ]);
  process.env.TILLKIT_TEST_DATABASE_URL = url;
  globalThis.tillkitTestServer = server;
}
