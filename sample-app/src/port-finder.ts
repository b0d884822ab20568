import { createServer, type AddressInfo } from 'node:net';

/**
 * Returns the wanted port of 127.0.0.1, or a free port if the wanted one cannot be used. The shop needs its port before it starts, because the
 * platform's settings contain its address.
 */
export async function findPort(wanted: number): Promise<number> {
  return (await tryPort(wanted)) ?? (await tryPort(0))!;
}

async function tryPort(port: number): Promise<number | null> {
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  } catch {
    return null;
  }
  const found = (server.address() as AddressInfo).port;
  await new Promise((resolve) => server.close(resolve));
  return found;
}
