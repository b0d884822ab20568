import { once } from 'node:events';

export default async function tearDown() {
  const database = await globalThis.tillkitTestDatabase?.();
  if (!database) return;
  database.server.stdin.end();
  await once(database.server, 'exit');
}
