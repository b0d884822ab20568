/** A way to a TCP server that delays what passes, in each direction, and limits nothing else. */
import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { host, settingsOf } from './subject.host.js';

/** The server, and the delay of each direction in milliseconds. 0: bytes pass at once. */
const { to, delayMs } = settingsOf<{ to: { host: string; port: number }; delayMs: number }>();

/** Timers of one delay end in the order in which they began, so bytes keep their order. */
function later(work: () => void): void {
  if (delayMs === 0) work();
  else setTimeout(work, delayMs);
}

function pass(from: Socket, into: Socket): void {
  from.on('data', (chunk) => later(() => into.write(chunk)));
  from.on('end', () => later(() => into.end()));
  from.on('error', () => into.destroy());
  from.on('close', () => later(() => into.destroySoon()));
}

const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
  const behind = connect({ ...to, noDelay: true, allowHalfOpen: true });
  pass(client, behind);
  pass(behind, client);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;
host({ port: () => port });
