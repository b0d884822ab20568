import { createServer, type AddressInfo } from 'node:net';

/**
 * The wanted port, or another free one when that is taken. It is looked for before the shop starts, because the shop
 * must tell the platform its own address.
 */
export async function findPort(host: string, wanted: number): Promise<number> {
  try {
    return await tryPort(host, wanted);
  } catch (error) {
    // Also a port that this user may not use. A host that does not exist fails again, and is told.
    if (wanted === 0) throw error;
    return tryPort(host, 0);
  }
}

async function tryPort(host: string, port: number): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const found = (server.address() as AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
  return found;
}
