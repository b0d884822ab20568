import { once } from 'node:events';
import crashes from './jest/crashes.cjs';

export default async function tearDown() {
  await endDatabase();
  crashes.endRun();
}

async function endDatabase() {
  const database = await globalThis.tillkitTestDatabase?.();
  if (!database) return;
  database.server.stdin.end();
  await once(database.server, 'exit');
}
