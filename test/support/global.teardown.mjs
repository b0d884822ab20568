import { once } from 'node:events';

export default async function tearDown() {
  const server = globalThis.tillkitTestServer;
  if (!server) return;
  server.stdin.end();
  await once(server, 'exit');
}
